import { addPasskey, beginPasskey, beginTotp, confirmTotp } from '@hufu/contract/factors'
import { loginByPassword } from '@hufu/contract/login'
import { stepAt, totpAt } from '../../apps/server/src/platform/crypto/totp.ts'
import { sessionOf, type TestSite } from '../../apps/server/test/test-app.ts'
import { type SoftwarePasskey, softwarePasskey } from '../../tools/simulators/software-passkey.ts'
import { type Browser, freshAddress, type Harness, type User } from '../harness/harness.ts'

/** Which factors an account has. */
export type Protection = 'totp' | 'passkey' | 'both'
export const protections: Protection[] = ['totp', 'passkey', 'both']

export interface Factors {
  /** The secret of the authenticator. */
  secret: Buffer | undefined
  passkey: SoftwarePasskey | undefined
  recoveryCodes: string[]
}

export type Account = Awaited<ReturnType<Harness['user']>>

export interface ProtectedAccount extends Account, Factors {
  /** The owner's, known to the account for ten days; the factors were added in it. */
  browser: User
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)))
}

/** The code that the app shows now, or so many steps later. */
export const totpOf = (secret: Buffer | undefined, later = 0): string =>
  secret ? totpAt(secret, stepAt(Date.now()) + later) : '000000'

/** As if no code had been used yet. */
export const forgetStep = (t: Harness, id: string) =>
  t.deps.pool.query('UPDATE totp SET last_step = 0 WHERE user_id = $1', [id])

/** A step-up by a password, as the database notes it. */
export const steppedUp = (t: Harness, browser: Browser) =>
  t.deps.pool.query('UPDATE session SET two_factor_at = now(), second_at = now() WHERE id = $1', [sessionOf(browser)])

/** Lets time pass for the browsers that the account knows. */
export const age = (t: Harness, id: string, time: string) =>
  t.deps.pool.query('UPDATE known_browser SET first_seen = first_seen - $2::interval WHERE user_id = $1', [id, time])

export async function addTotp(browser: Browser): Promise<{ secret: Buffer; recoveryCodes: string[] }> {
  const begun = await browser.call(beginTotp, {}, freshAddress())
  if (!begun.data) throw new Error(`no authenticator: ${begun.status} ${begun.body}`)
  const secret = fromBase32(begun.data.secret)
  const { data, status, body } = await browser.call(confirmTotp, { totp: totpOf(secret) }, freshAddress())
  if (!data) throw new Error(`not confirmed: ${status} ${body}`)
  return { secret, recoveryCodes: data.recoveryCodes ?? [] }
}

export async function addSoftwarePasskey(
  browser: Browser,
  site: TestSite,
  options: Parameters<typeof softwarePasskey>[1] = {},
): Promise<{ passkey: SoftwarePasskey; id: string; recoveryCodes: string[] }> {
  const passkey = softwarePasskey(site.origin, options)
  const begun = await browser.call(beginPasskey, {}, freshAddress())
  if (!begun.data) throw new Error(`no passkey: ${begun.status} ${begun.body}`)
  const { data, status, body } = await browser.call(
    addPasskey,
    { passkey: passkey.create(begun.data), name: 'own' },
    freshAddress(),
  )
  if (!data) throw new Error(`not added: ${status} ${body}`)
  return { passkey, id: data.id, recoveryCodes: data.recoveryCodes ?? [] }
}

/** Adds factors to an account in its owner's session, through the public calls. */
export async function protect(t: Harness, site: TestSite, browser: User, protection: Protection): Promise<Factors> {
  await steppedUp(t, browser)
  const totp = protection === 'passkey' ? undefined : await addTotp(browser)
  const own = protection === 'totp' ? undefined : await addSoftwarePasskey(browser, site)
  if (totp) await forgetStep(t, browser.id)
  return {
    secret: totp?.secret,
    passkey: own?.passkey,
    recoveryCodes: [...(totp?.recoveryCodes ?? []), ...(own?.recoveryCodes ?? [])],
  }
}

/** An account whose owner has used it for ten days and has these factors. */
export async function protectedAccount(
  t: Harness,
  site: TestSite,
  protection: Protection = 'totp',
): Promise<ProtectedAccount> {
  const user = await t.user(site)
  const browser = await t.session(site, user.id)
  await age(t, user.id, '10 days')
  return { ...user, ...(await protect(t, site, browser, protection)), browser }
}

/** The first proof, in this browser: the ticket to the second step. */
export async function ticketOf(browser: Browser, { username, password }: Account): Promise<string> {
  const answer = await browser.call(loginByPassword, { account: username, password }, freshAddress())
  if (answer.code !== 'FACTOR_REQUIRED') throw new Error(`no second step: ${answer.status} ${answer.body}`)
  return answer.details.ticket
}

/** The same browser without its session. */
export function signedOut(t: Harness, site: TestSite, { cookies }: Browser): Browser {
  const browser = t.browser(site)
  for (const [name, value] of cookies) if (name.endsWith('browser')) browser.cookies.set(name, value)
  return browser
}
