import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'
import type { Fault, Faults } from './faults.ts'
import type { Receive } from './inbox-store.ts'
import { readMail } from './mail-text.ts'

export interface SmtpOptions {
  /** Any free one unless given. */
  port?: number
  receive: Receive
  faults: Faults
  /** The accepted credentials; everything is accepted, also without signing in, unless given. */
  user?: string
  password?: string
  /** Whether STARTTLS is offered, with a self-signed certificate. */
  startTls?: boolean
}

export interface Smtp {
  port: number
  stop(): Promise<void>
}

const smtpError = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode })

/** A mail server that keeps everything it is given in the development inbox. */
export async function startSmtp(options: SmtpOptions): Promise<Smtp> {
  const { port = 0, receive, faults, user, password, startTls = false } = options
  const sockets = new Map<number, Socket>()
  const planned = new WeakMap<SMTPServerSession, Fault>()

  const onData: SMTPServerOptions['onData'] = (stream, session, done) => {
    async function take() {
      const chunks: Buffer[] = []
      for await (const chunk of stream) chunks.push(chunk)
      const { mode, delayMs = 2_000, deliver } = planned.get(session) ?? { mode: 'ok' }
      if (mode === 'slow') await sleep(delayMs)
      if (mode === 'ok' || mode === 'slow' || deliver) keep(Buffer.concat(chunks).toString('latin1'), session)
      if (mode === 'reset') sockets.get(session.remotePort)?.resetAndDestroy()
      if (mode === 'fail') done(smtpError(451, 'Requested action aborted: error in processing'))
      if (mode === 'ok' || mode === 'slow') done()
    }
    take().catch(done)
  }

  function keep(raw: string, { envelope }: SMTPServerSession) {
    const mail = readMail(raw)
    for (const { address } of envelope.rcptTo) receive({ to: address, channel: 'mail', ...mail })
  }

  const server = new SMTPServer({
    authOptional: user === undefined,
    allowInsecureAuth: true,
    disabledCommands: startTls ? [] : ['STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 50,
    onAuth(auth, _session, done) {
      if (user !== undefined && (auth.username !== user || auth.password !== password)) {
        return done(smtpError(535, 'Authentication failed'))
      }
      done(null, { user: auth.username ?? '' })
    },
    onRcptTo(_address, session, done) {
      const fault = faults.next()
      planned.set(session, fault)
      done(fault.mode === 'refuse' ? smtpError(Number(fault.code ?? 550), 'Requested action not taken') : null)
    },
    onData,
  })
  server.on('error', () => {}) // A client that hangs up is no concern of the server.
  server.server.on('connection', (socket: Socket) => {
    const { remotePort = 0 } = socket
    sockets.set(remotePort, socket)
    socket.once('close', () => sockets.delete(remotePort))
  })
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')

  async function stop() {
    for (const socket of sockets.values()) socket.destroy()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return { port: (server.server.address() as AddressInfo).port, stop }
}
