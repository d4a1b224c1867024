import type { Log } from '../../platform/log.ts'
import type { Breaker } from '../breaker.ts'
import { type Outcome, refused, unknown } from '../outcome.ts'
import { readMailError } from './mail-error.ts'
import { socketOpener } from './open-socket.ts'
import { createPools, type MailConfig } from './pools.ts'

export interface Mail {
  to: string
  subject: string
  text: string
  html?: string | undefined
  /** Stays the same when the mail is sent again, so that duplicates are recognisable. */
  messageId: string
}

export interface Mailer {
  send(config: MailConfig, mail: Mail): Promise<Outcome>
  /** Closes idle connections at once and the others after the mail they are sending. */
  close(): void
}

export interface MailDeps {
  log: Log
  breaker: Breaker
  /** Whether a mail server may be at this address although it isn't public. */
  isMailNetwork: (address: string) => boolean
  /** How many sites' connections are kept. */
  maxPools?: number
  /** For a server that trickles its answers, which no socket timeout notices. */
  mailTimeoutMs?: number
}

export function createMailer(deps: MailDeps): Mailer {
  const { log, breaker, isMailNetwork, maxPools = 50, mailTimeoutMs = 15_000 } = deps
  const pools = createPools(maxPools, socketOpener(isMailNetwork))

  const deliver = (config: MailConfig, from: string, { to, ...mail }: Mail) =>
    pools.use(config, (transport) => {
      // Passed as an object the address is one address, whatever it holds.
      const sent = transport.sendMail({ ...mail, from, to: { name: '', address: to } })
      return within(
        mailTimeoutMs,
        sent.then(({ response }) => accepted(response), readMailError),
      )
    })

  async function send(config: MailConfig, mail: Mail): Promise<Outcome> {
    const from = config.from ?? config.user
    if (!from) return refused('NO_SENDER', 'the site has no sender of mail')
    const outcome = await breaker.run(`mail/${config.host}:${config.port ?? ''}`, () => deliver(config, from, mail))
    if (outcome.kind !== 'sent')
      log.warn({ host: config.host, ...said(outcome) }, 'delivery of a mail is not confirmed')
    return outcome
  }
  return { send, close: pools.close }
}

const accepted = (response: string): Outcome => ({ kind: 'sent', id: response.slice(0, 200) })

/** A mail that is still waiting after that time may be sent all the same. */
async function within(ms: number, outcome: Promise<Outcome>): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const timer = setTimeout(() => resolve(unknown('TIMEOUT')), ms)
  return Promise.race([outcome, promise]).finally(() => clearTimeout(timer))
}

const said = (outcome: Exclude<Outcome, { kind: 'sent' }>) =>
  outcome.kind === 'refused' ? { refusal: outcome.code, message: outcome.message } : { reason: outcome.reason }
