import { exchangeTicket } from '@hufu/contract/authorize'
import { confirmLogin, loginByMobile } from '@hufu/contract/login'
import { finishRecovery } from '@hufu/contract/recovery'
import { readNoticedSignIn } from '@hufu/contract/security'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { sha256 } from '../../apps/server/src/platform/crypto/hash.ts'
import { issueLink } from '../../apps/server/src/shared/notices/notice-links.store.ts'
import { provedTicket, readyTicket } from '../../apps/server/test/recovering.ts'
import { fresh, sessionOf, type TestSite } from '../../apps/server/test/test-app.ts'
import { bind, createId, shop, ticketIn } from '../harness/authorizing.ts'
import { askCode, type Browser, type Harness, number } from '../harness/harness.ts'
import { together } from '../harness/http.ts'
import { check, showCode } from '../harness/scan.ts'

/** A state that changes at one moment, such as an expiry. */
export interface Ending {
  name: string
  /** Asks one process, for the n-th time, whether the state is still as before; undefined if the process was busy. */
  ask(process: number, turn: number): Promise<boolean | undefined>
  /** Sets the moment, in milliseconds since 1970, in the store that decides it. */
  endAt(end: number): Promise<void>
  /** How many milliseconds that may take, where it is long. */
  setsFor?: number
}

export interface Ground {
  t: Harness
  site: TestSite
  urls: string[]
  /** How often each process is asked. */
  turns: number
}

/** Before or after, by the response; any other response is an error. */
export function stillIs(answer: { code?: string | undefined }, before: string, after: string): boolean | undefined {
  const seen = answer.code ?? 'ok'
  if (seen === 'SERVICE_BUSY') return undefined
  if (seen !== before && seen !== after) throw new Error(`${seen} is neither ${before} nor ${after}`)
  return seen === before
}

/** One value for each process, made for its address. */
export const each = <Value>({ urls }: Ground, make: (url: string, process: number) => Promise<Value>) =>
  Promise.all(urls.map(make))

/** The same for things that can be used once: one for each time that a process is asked. */
export const many = <Value>(ground: Ground, make: (url: string, process: number) => Promise<Value>) =>
  each(ground, (url, process) => together(ground.turns, 2, () => make(url, process)))

/** The same browser at another process. */
function at(ground: Ground, browser: Browser, url: string): Browser {
  const other = ground.t.browser(ground.site, { urls: [url], address: browser.address })
  for (const [name, value] of browser.cookies) other.cookies.set(name, value)
  return other
}

/** What is asked for at one process is used at the next. */
const begunElsewhere = (ground: Ground, process: number): Browser =>
  ground.t.browser(ground.site, { urls: [ground.urls[(process + 1) % ground.urls.length] ?? ''] })

export const set = (ground: Ground, table: string, column: string, where: string, values: unknown[]) => (end: number) =>
  ground.t.deps.pool
    .query(`UPDATE ${table} SET ${column} = to_timestamp($2::float8) WHERE site_id = $1 AND ${where}`, [
      ground.site.id,
      end / 1_000,
      ...values,
    ])
    .then(({ rowCount }) => {
      if (!rowCount) throw new Error(`nothing of ${table} ends`)
    })

export async function codes(ground: Ground): Promise<Ending> {
  const made = await many(ground, async (url, process) => {
    const browser = begunElsewhere(ground, process)
    const mobile = fresh.mobile()
    return { mobile, code: await askCode(browser, mobile), browser: at(ground, browser, url) }
  })
  const receivers = made.flat().map(({ mobile }) => `+86${mobile}`)
  return {
    name: 'codes',
    endAt: set(ground, 'code', 'expires_at', 'receiver = ANY($3)', [receivers]),
    async ask(process, turn) {
      const { mobile, code, browser } = made[process]?.[turn] ?? fail()
      return stillIs(await browser.call(loginByMobile, { ...number(mobile), code }), 'ok', 'CODE_WRONG')
    },
  }
}

/** A number may be sent to again a minute after the last time. */
export async function waits(ground: Ground): Promise<Ending> {
  const made = await many(ground, async (url, process) => {
    const mobile = fresh.mobile()
    await askCode(begunElsewhere(ground, process), mobile)
    return { mobile, browser: ground.t.browser(ground.site, { urls: [url] }) }
  })
  const receivers = made.flat().map(({ mobile }) => `+86${mobile}`)
  const sentAt = set(ground, 'receiver', 'last_sent_at', 'receiver = ANY($3)', [receivers])
  return {
    name: 'waits for the next code',
    endAt: (end) => sentAt(end - 60_000),
    async ask(process, turn) {
      const { mobile, browser } = made[process]?.[turn] ?? fail()
      return stillIs(await browser.call(sendMobileCode, number(mobile)), 'CODE_SEND_LIMITED', 'ok')
    },
  }
}

export async function scans(ground: Ground): Promise<Ending> {
  const { t, site } = ground
  const made = await each(ground, async (url, process) => {
    const { browser, request } = await showCode(t, site, { urls: [ground.urls[(process + 1) % 3] ?? ''] })
    return { request, browser: at(ground, browser, url) }
  })
  return {
    name: 'scan requests',
    async endAt(end) {
      for (const { request } of made) await t.deps.cache.pexpireat(`{scan:${site.id}:${request.id}}`, end)
    },
    ask: async (process) => stillIs(await check(made[process] ?? fail()), 'ok', 'LOGIN_REQUEST_EXPIRED'),
  }
}

export async function tickets(ground: Ground): Promise<Ending> {
  const { t, site } = ground
  const { id } = await t.user(site, { password: undefined })
  const user = await t.session(site, id)
  const made = await many(ground, async (url) => ({
    ticket: ticketIn((await bind(user, await createId(t.browser(site)))).data) ?? '',
    browser: t.browser(site, { urls: [url] }),
  }))
  const hashes = made.flat().map(({ ticket }) => sha256(ticket))
  return {
    name: 'tickets for other sites',
    endAt: set(ground, 'authorize_ticket', 'expires_at', 'hash = ANY($3)', [hashes]),
    async ask(process, turn) {
      const { ticket, browser } = made[process]?.[turn] ?? fail()
      const response = await browser.call(exchangeTicket, { client: shop.id, secret: shop.secret, ticket })
      return stillIs(response, 'ok', 'AUTHORIZE_TICKET')
    },
  }
}

/** The question whose account an old number leads to; a wrong password leaves it open, but many would ask for a proof of work. */
export async function questions(ground: Ground): Promise<Ending> {
  const { t, site } = ground
  const made = await many(ground, async (url, process) => {
    const { id, mobile } = await t.user(site)
    await t.deps.pool.query("UPDATE identity SET proved_at = now() - interval '91 days' WHERE user_id = $1", [id])
    const browser = begunElsewhere(ground, process)
    const code = await askCode(browser, mobile)
    const { details } = await browser.call(loginByMobile, { ...number(mobile), code })
    return { id, ticket: details.ticket as string, browser: at(ground, browser, url) }
  })
  return {
    name: 'questions about old numbers',
    endAt: set(ground, 'login_confirm', 'expires_at', 'user_id = ANY($3)', [made.flat().map(({ id }) => id)]),
    async ask(process, turn) {
      const { ticket, browser } = made[process]?.[turn] ?? fail()
      const answer = await browser.call(confirmLogin, { ticket, mine: true, password: 'Wrong#2026x' })
      return stillIs(answer, 'LOGIN_FAILED', 'LOGIN_CONFIRM_EXPIRED')
    },
  }
}

export async function links(ground: Ground): Promise<Ending> {
  const { t, site } = ground
  const made = await each(ground, async (url) => {
    const { id } = await t.user(site, { password: undefined })
    const subject = sessionOf(await t.session(site, id))
    const token = await issueLink(t.deps.db, site.id, { purpose: 'disown', userId: id, subject, days: 7 })
    return { token: token ?? '', browser: t.browser(site, { urls: [url] }) }
  })
  return {
    name: 'links in notices',
    endAt: set(ground, 'notice_link', 'expires_at', 'hash = ANY($3)', [made.map(({ token }) => sha256(token))]),
    async ask(process) {
      const { token, browser } = made[process] ?? fail()
      return stillIs(await browser.call(readNoticedSignIn, { token }), 'ok', 'NOTICE_EXPIRED')
    },
  }
}

const wanted = () => ({ ...number(fresh.mobile()), code: '000000' })

export async function recoveryTickets(ground: Ground): Promise<Ending> {
  const { t, site } = ground
  const made = await each(ground, async (url, process) => {
    const browser = begunElsewhere(ground, process)
    const { ticket } = await provedTicket(t, site, browser, await t.user(site))
    return { ticket, browser: at(ground, browser, url) }
  })
  const hashes = made.map(({ ticket }) => sha256(ticket))
  return {
    name: 'tickets of recoveries',
    endAt: set(ground, 'recovery_ticket', 'expires_at', 'ticket_hash = ANY($3)', [hashes]),
    async ask(process) {
      const { ticket, browser } = made[process] ?? fail()
      return stillIs(await browser.call(finishRecovery, { ticket, ...wanted() }), 'RECOVERY_NONE', 'RECOVERY_EXPIRED')
    },
  }
}

/** Three days pass before a new number can be set. */
export async function recoveries(ground: Ground): Promise<Ending> {
  const { t, site } = ground
  const made = await each(ground, async (url, process) => {
    const browser = begunElsewhere(ground, process)
    const user = await t.user(site)
    return { id: user.id, ticket: await readyTicket(t, site, browser, user), browser: at(ground, browser, url) }
  })
  return {
    name: 'waits of recoveries',
    endAt: set(ground, 'recovery', 'ready_at', 'user_id = ANY($3)', [made.map(({ id }) => id)]),
    async ask(process) {
      const { ticket, browser } = made[process] ?? fail()
      return stillIs(await browser.call(finishRecovery, { ticket, ...wanted() }), 'RECOVERY_WAITING', 'CODE_WRONG')
    },
  }
}

export function fail(): never {
  throw new Error('nothing was made for this question')
}
