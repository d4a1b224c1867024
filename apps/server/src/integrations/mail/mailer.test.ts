import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createFaults, type Fault } from '../../../../../tools/simulators/faults.ts'
import { createInboxStore } from '../../../../../tools/simulators/inbox-store.ts'
import { type Smtp, startSmtp } from '../../../../../tools/simulators/smtp.ts'
import { freePort } from '../../../../../tools/stores/ports.ts'
import { networkList } from '../../platform/config/network-list.ts'
import { createLog } from '../../platform/log.ts'
import { createBreaker } from '../breaker.ts'
import { createMailer, type MailDeps, type Mailer } from './mailer.ts'

const store = createInboxStore()
const faults = createFaults()
const lines: string[] = []
const mailers: Mailer[] = []
let smtp: Smtp
let count = 0

/** Where the simulator stands, and another way to it. */
const isMailNetwork = networkList('HUFU_MAIL_NETWORKS', ['127.0.0.0/8', '0.0.0.0'])

beforeAll(async () => {
  smtp = await startSmtp({ receive: store.receive, faults })
})
afterAll(() => smtp.stop())
afterEach(() => {
  faults.set({ mode: 'ok' })
  lines.length = 0
  for (const mailer of mailers.splice(0)) mailer.close()
})

function mailer(more: Partial<MailDeps> = {}): Mailer {
  const log = createLog({ logLevel: 'info' }, { write: (line) => lines.push(line) })
  const made = createMailer({ log, breaker: createBreaker(), isMailNetwork, ...more })
  mailers.push(made)
  return made
}

const config = (port = smtp.port) => ({ host: '127.0.0.1', port, from: '青屿生活 <no-reply@qingyu.example>' })

function mail() {
  const to = `person${count++}@qingyu.example`
  return {
    to,
    subject: '【青屿生活】验证码：请查收，五分钟内有效，请勿向任何人透露',
    text: '您的验证码为 012345。\n5 分钟内有效。',
    messageId: `<${count}@qingyu.example>`,
  }
}

test('a mail arrives whole: subject and text in UTF-8, the sender and the Message-ID that was asked for', async () => {
  const wanted = mail()
  expect(await mailer().send(config(), wanted)).toMatchObject({ kind: 'sent' })
  expect(store.list(wanted.to)).toEqual([{ ...wanted, channel: 'mail', from: '青屿生活', time: expect.any(String) }])
})

test('sent again, a mail keeps its Message-ID', async () => {
  const wanted = { ...mail(), html: '<p>您的验证码为 <b>012345</b></p>' }
  const sender = mailer()
  await sender.send(config(), wanted)
  await sender.send(config(), wanted)
  expect(store.list(wanted.to).map(({ messageId }) => messageId)).toEqual([wanted.messageId, wanted.messageId])
  expect(store.list(wanted.to)[0]?.text).toBe(wanted.text)
})

test('an address is one address, whatever it holds', async () => {
  const wanted = { ...mail(), to: 'a@qingyu.example, b@qingyu.example' }
  expect(await mailer().send(config(), wanted)).toMatchObject({ kind: 'refused' })
  expect(store.list('b@qingyu.example')).toEqual([])
})

test.each<[string, Fault, object]>([
  ['a receiver the server refuses', { mode: 'refuse' }, { kind: 'refused', code: 'SMTP_550' }],
  ['a message the server gives back', { mode: 'fail' }, { kind: 'refused', code: 'SMTP_451' }],
  ['a reset after the message was written', { mode: 'reset', deliver: true }, { kind: 'unknown' }],
  ['silence after the message was written', { mode: 'hang', deliver: true }, { kind: 'unknown', reason: 'TIMEOUT' }],
])('%s', async (_, fault, outcome) => {
  const wanted = mail()
  faults.set(fault)
  const mailTimeoutMs = fault.mode === 'hang' ? 500 : 10_000
  expect(await mailer({ mailTimeoutMs }).send(config(), wanted)).toMatchObject(outcome)
  // What the server does with a mail it has done before it takes the next one.
  faults.set({ mode: 'ok' })
  expect(await mailer().send(config(), mail())).toMatchObject({ kind: 'sent' })
  expect(store.list(wanted.to)).toHaveLength(fault.deliver ? 1 : 0)
})

test.concurrent('a socket that is silent for five seconds is unknown', async () => {
  const stuck = createFaults()
  stuck.set({ mode: 'hang' })
  const hanging = await startSmtp({ receive: store.receive, faults: stuck })
  expect(await mailer().send(config(hanging.port), mail())).toEqual({ kind: 'unknown', reason: 'SOCKET_TIMEOUT' })
  await hanging.stop()
})

test.concurrent('a server that never greets is refused after three seconds', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  expect(await mailer().send(config(port), mail())).toEqual({
    kind: 'refused',
    code: 'UNREACHABLE',
    message: 'GREETING_TIMEOUT',
  })
  silent.close()
})

test.each([
  ['no one listens', async () => config(await freePort())],
  ['the name has no address', async () => ({ ...config(), host: 'no-such-host.invalid' })],
])('when %s, the mail is refused as unreachable', async (_, where) => {
  expect(await mailer().send(await where(), mail())).toMatchObject({ kind: 'refused', code: 'UNREACHABLE' })
})

test('a server off loopback that offers no TLS is given nothing', async () => {
  const wanted = mail()
  // Leads to this machine without being a name of it.
  const outcome = await mailer().send({ ...config(), host: '0.0.0.0' }, wanted)
  expect(outcome).toMatchObject({ kind: 'refused', message: expect.stringContaining('STARTTLS') })
  expect(store.list(wanted.to)).toEqual([])
})

test.each(['127.0.0.1', 'localhost', '::1', '::ffff:127.0.0.1', '10.0.0.8', '169.254.169.254'])(
  'no connection is made to %s, which is of the platform itself',
  async (host) => {
    const connections: unknown[] = []
    const listener = createServer((socket) => connections.push(socket.destroy())).listen(0)
    const { port } = listener.address() as AddressInfo
    const outcome = await mailer({ isMailNetwork: () => false }).send({ ...config(port), host }, mail())
    expect(outcome).toMatchObject({ kind: 'refused', code: 'NOT_PUBLIC' })
    expect(connections).toEqual([])
    listener.close()
  },
)

test('an untrusted certificate is refused', async () => {
  const server = await startSmtp({ receive: store.receive, faults, startTls: true })
  const wanted = mail()
  expect(await mailer().send(config(server.port), wanted)).toMatchObject({ kind: 'refused', code: 'UNREACHABLE' })
  expect(store.list(wanted.to)).toEqual([])
  await server.stop()
})

test('user and password are given, and a wrong one is a refusal', async () => {
  const guarded = await startSmtp({ receive: store.receive, faults, user: 'site', password: 'right' })
  const account = { ...config(guarded.port), user: 'site' }
  const sender = mailer()
  expect(await sender.send({ ...account, password: 'right' }, mail())).toMatchObject({ kind: 'sent' })
  expect(await sender.send({ ...account, password: 'wrong' }, mail())).toMatchObject({ code: 'SMTP_535' })
  await guarded.stop()
})

test('without a sender nothing is tried', async () => {
  expect(await mailer().send({ host: '127.0.0.1', port: smtp.port }, mail())).toMatchObject({ code: 'NO_SENDER' })
})

test('five failures open the breaker', async () => {
  const sender = mailer()
  const nowhere = config(await freePort())
  for (let i = 0; i < 5; i++) await sender.send(nowhere, mail())
  expect(await sender.send(nowhere, mail())).toMatchObject({ kind: 'refused', code: 'BREAKER_OPEN' })
})

test('more sites than kept connections still send, also at once', async () => {
  const sender = mailer({ maxPools: 2 })
  const configs = Array.from({ length: 6 }, (_, i) => ({ ...config(), user: `site${i}`, password: 'any' }))
  const outcomes = await Promise.all(configs.flatMap((each) => [sender.send(each, mail()), sender.send(each, mail())]))
  expect(outcomes.map(({ kind }) => kind)).toEqual(Array(12).fill('sent'))
})

test('A37 warnings hold no address', async () => {
  faults.set({ mode: 'refuse' })
  const wanted = mail()
  await mailer().send(config(), wanted)
  expect(lines).toHaveLength(1)
  expect(lines[0]).not.toContain(wanted.to)
})
