import { changeEmail, changeMobile, changePassword, changeUsername } from '@hufu/contract/account'
import { removeOtherDevices } from '@hufu/contract/devices'
import {
  addPasskey,
  beginPasskey,
  beginTotp,
  confirmTotp,
  factorState,
  loginByFactor,
  loginByPasskey,
  passkeyLoginOptions,
  readFactorTicket,
  removeFactors,
  removePasskey,
  removeTotp,
  renewRecoveryCodes,
} from '@hufu/contract/factors'
import { confirmLogin, loginByMobile, loginByPassword, sendConfirmCode } from '@hufu/contract/login'
import { releaseMobile } from '@hufu/contract/merchant-users'
import { closeAccount, exportData } from '@hufu/contract/personal-data'
import {
  finishFactorRecovery,
  finishRecovery,
  openRecovery,
  proveRecovery,
  sendRecoveryEmailCode,
  startRecovery,
  undoByRecovery,
} from '@hufu/contract/recovery'
import { disownSignIn, listOwnSecurity } from '@hufu/contract/security'
import {
  sendTwoFactorEmailCode,
  sendTwoFactorMobileCode,
  twoFactorPasskeyOptions,
  verifyTwoFactor,
} from '@hufu/contract/two-factor'
import { applyUndo, sendUndoCode } from '@hufu/contract/undo'
import { sendEmailCode, sendMobileCode } from '@hufu/contract/verify-code'
import { loginByNewWechat } from '@hufu/contract/wechat'
import { pass } from '../../apps/server/test/recovering.ts'
import { codeTo, fresh } from '../../apps/server/test/test-app.ts'
import { softwarePasskey } from '../../tools/simulators/software-passkey.ts'
import { type Browser, freshAddress, number } from '../harness/harness.ts'
import { check, decide, showCode } from '../harness/scan.ts'
import { throughWechat, wechatAction } from './by-wechat.ts'
import { otherPassword, type Walk, wechatUsers } from './factor-thief.ts'
import { totpOf } from './protected-account.ts'

type Outcome = { status: number; code?: string | undefined; details?: { ticket?: string; factor?: boolean } }

/** What a thief does, by name; answers how the last call went. An act that the thief lacks the means for is left out. */
export type Act = (walk: Walk) => Promise<Outcome | undefined>

const nowhere = '000000'

/** Another sign-in in the thief's browser. */
function leave({ cookies }: Browser): void {
  for (const name of ['__Host-hufu', '__Host-hufu-in']) cookies.delete(name)
}

function collect(walk: Walk, answer: Outcome): Outcome {
  if (answer.code === 'FACTOR_REQUIRED' && answer.details?.ticket) walk.tickets.push(answer.details.ticket)
  return answer
}

/** A code texted to the victim's number, if a call has sent one. */
async function texted({ t, site, victim: { mobile } }: Walk, send: () => Promise<Outcome>): Promise<string> {
  await t.passMinute(site, `+86${mobile}`)
  return (await send()).status === 200 ? await codeTo(mobile) : nowhere
}

async function mailed({ t, site, has, victim: { email } }: Walk, send: () => Promise<Outcome>): Promise<string> {
  await t.passMinute(site, email)
  const { status } = await send()
  return status === 200 && has('email') ? await codeTo(email) : nowhere
}

async function byCode(walk: Walk, browser: Browser): Promise<Outcome> {
  const { mobile } = walk.victim
  leave(browser)
  const code = await texted(walk, () => browser.call(sendMobileCode, number(mobile), freshAddress()))
  return collect(walk, await browser.call(loginByMobile, { ...number(mobile), code }, freshAddress()))
}

const knownPassword = ({ has, victim }: Walk) => (has('password') ? victim.password : otherPassword())

/** By WeChat: the browser is led to the second step, or is signed in. */
async function byWechat(walk: Walk, path: string): Promise<Outcome> {
  leave(walk.browser)
  const [, ticket] = (await throughWechat(walk.browser, path, wechatUsers.victim)).split('/login/second#')
  if (!ticket) return { status: walk.browser.cookies.has('__Host-hufu') ? 200 : 403 }
  walk.tickets.push(ticket)
  return { status: 403, code: 'FACTOR_REQUIRED' }
}

/** A navigation of the earlier session to WeChat and back, as one of its users. */
async function trip({ old }: Walk, action: 'binding' | 'check', user: string): Promise<Outcome> {
  const path = await wechatAction(old, action)
  const led = await throughWechat(old, path, user).catch(() => '/user?outcome=refused')
  return { status: /TWO_FACTOR|refused|\/login/.test(led) ? 403 : 200 }
}

type Confirming = { password: string } | { code: string } | { sure: true }

/** The number wasn't proved for long. Without a proof the answer is 不是我的账号, which takes it off the account. */
async function byStaleNumber(
  walk: Walk,
  prove?: (ticket: string) => Promise<Confirming>,
): Promise<Outcome | undefined> {
  const { t, browser, victim, has } = walk
  if (!has('sim')) return undefined
  await t.deps.pool.query("UPDATE identity SET proved_at = now() - interval '91 days' WHERE user_id = $1", [victim.id])
  const asked = await byCode(walk, browser)
  const ticket = asked.details?.ticket
  if (asked.code !== 'LOGIN_CONFIRM' || !ticket) return asked
  const mine = prove !== undefined
  const confirmed = await browser.call(confirmLogin, { ticket, mine, ...(await prove?.(ticket)) }, freshAddress())
  if (!mine && confirmed.status === 200) walk.moved = true
  return collect(walk, confirmed)
}

const signIns: Record<string, Act> = {
  code: async (walk) => (walk.has('sim') ? await byCode(walk, walk.browser) : undefined),
  'code in the earlier browser': async (walk) => {
    if (!walk.has('sim')) return undefined
    const again = walk.t.browser(walk.site)
    for (const [name, value] of walk.old.cookies) again.cookies.set(name, value)
    return await byCode(walk, again)
  },
  password: async (walk) => {
    leave(walk.browser)
    const login = { account: walk.victim.username, password: knownPassword(walk) }
    return collect(walk, await walk.browser.call(loginByPassword, login, freshAddress()))
  },
  'WeChat, silently': async (walk) => (walk.has('wechat') ? await byWechat(walk, '/api/login/wechat') : undefined),
  'WeChat, asked': async (walk) => (walk.has('wechat') ? await byWechat(walk, '/api/login/wechat?tap=1') : undefined),
  'stale number, mine by password': (walk) => byStaleNumber(walk, async () => ({ password: knownPassword(walk) })),
  'stale number, mine by e-mail': (walk) =>
    byStaleNumber(walk, async (ticket) => ({
      code: await mailed(walk, () => walk.browser.call(sendConfirmCode, { ticket }, freshAddress())),
    })),
  'stale number, mine for sure': (walk) => byStaleNumber(walk, async () => ({ sure: true })),
  'stale number, not mine': async (walk) => (walk.pick(3) === 0 ? await byStaleNumber(walk) : undefined),
  'scan approved in the earlier session': async (walk) => {
    const waiting = await showCode(walk.t, walk.site)
    await decide(walk.old, waiting.request, 0)
    const approved = await decide(walk.old, waiting.request, 1)
    await check(waiting)
    return approved
  },
  'own passkey in the victim’s name': async ({ browser, site, victim, own }) => {
    leave(browser)
    const { data } = await browser.call(passkeyLoginOptions, {}, freshAddress())
    const userHandle = Buffer.from(victim.id.replaceAll('-', ''), 'hex').toString('base64url')
    const passkey = own.passkey?.get(data ?? {}, { userHandle, origin: site.origin })
    return passkey && (await browser.call(loginByPasskey, { passkey }, freshAddress()))
  },
  'new WeChat': async ({ browser }) => {
    leave(browser)
    const led = await throughWechat(browser, '/api/login/wechat?tap=1', wechatUsers.thief)
    return led.includes('choose') ? await browser.call(loginByNewWechat, {}, freshAddress()) : { status: 200 }
  },
}

/** The second step with all that the thief has: guesses, and factors of another account. */
const secondSteps: Record<string, Act> = {
  'second step by a guess': async ({ browser, tickets: [ticket = 'none'] }) =>
    await browser.call(loginByFactor, { ticket, totp: nowhere, trust: true }, freshAddress()),
  'second step by own authenticator': async ({ browser, own, tickets }) =>
    await browser.call(loginByFactor, { ticket: tickets.at(-1) ?? 'none', totp: totpOf(own.secret) }, freshAddress()),
  'second step by own recovery code': async ({ browser, own, tickets }) =>
    await browser.call(
      loginByFactor,
      { ticket: tickets.at(-1) ?? 'none', recovery: own.recoveryCodes[0] ?? '', trust: true },
      freshAddress(),
    ),
  'second step by own passkey': async ({ browser, own, tickets: [ticket = 'none'] }) => {
    const { data } = await browser.call(passkeyLoginOptions, {}, freshAddress())
    const passkey = own.passkey?.get(data ?? {})
    return passkey && (await browser.call(loginByFactor, { ticket, passkey }, freshAddress()))
  },
  'ticket in another browser': async ({ t, site, own, tickets: [ticket = 'none'] }) => {
    const other = t.browser(site)
    await other.call(readFactorTicket, { ticket }, freshAddress())
    return await other.call(loginByFactor, { ticket, totp: totpOf(own.secret) }, freshAddress())
  },
}

/** In the session from before the protection, or without any. */
const stepUps: Record<string, Act> = {
  'step-up by SMS': async (walk) => {
    if (!walk.has('sim')) return undefined
    const code = await texted(walk, () => walk.old.call(sendTwoFactorMobileCode, {}, freshAddress()))
    return await walk.old.call(verifyTwoFactor, { code, way: 'mobile' }, freshAddress())
  },
  'step-up by e-mail': async (walk) => {
    const code = await mailed(walk, () => walk.old.call(sendTwoFactorEmailCode, {}, freshAddress()))
    return await walk.old.call(verifyTwoFactor, { code, way: 'email' }, freshAddress())
  },
  'step-up by password': async (walk) =>
    await walk.old.call(verifyTwoFactor, { password: knownPassword(walk) }, freshAddress()),
  'step-up by WeChat': async (walk) => (walk.has('wechat') ? await trip(walk, 'check', wechatUsers.victim) : undefined),
  'step-up by own authenticator': async ({ old, own }) =>
    await old.call(verifyTwoFactor, { totp: totpOf(own.secret) }, freshAddress()),
  'step-up by own passkey': async ({ old, own }) => {
    const { data } = await old.call(twoFactorPasskeyOptions, {}, freshAddress())
    const passkey = data && own.passkey?.get(data)
    return passkey && (await old.call(verifyTwoFactor, { passkey }, freshAddress()))
  },
}

/** Likewise. */
const changes: Record<string, Act> = {
  'new password': async ({ old }) => await old.call(changePassword, { password: otherPassword() }, freshAddress()),
  'new e-mail': async ({ old }) => {
    const email = fresh.email()
    const sent = await old.call(sendEmailCode, { email, type: 'authorize' }, freshAddress())
    const code = sent.status === 200 ? await codeTo(email) : nowhere
    return await old.call(changeEmail, { email, code }, freshAddress())
  },
  'new number': async ({ old }) => {
    const mobile = fresh.mobile()
    const sent = await old.call(sendMobileCode, number(mobile), freshAddress())
    const code = sent.status === 200 ? await codeTo(mobile) : nowhere
    return await old.call(changeMobile, { ...number(mobile), code }, freshAddress())
  },
  'new username': async ({ old }) => await old.call(changeUsername, { username: fresh.username() }, freshAddress()),
  'bind own WeChat': (walk) => trip(walk, 'binding', wechatUsers.thief),
  'unbind WeChat': async ({ old }) => {
    const { headers } = await old.get(await wechatAction(old, 'unbinding'))
    return { status: String(headers.location).includes('=unbind') ? 200 : 403 }
  },
  'new authenticator': async ({ old }) => {
    await old.call(beginTotp, {}, freshAddress())
    return await old.call(confirmTotp, { totp: nowhere }, freshAddress())
  },
  'new passkey': async ({ old, site, victim }) => {
    const { data } = await old.call(beginPasskey, {}, freshAddress())
    const challenge = Buffer.alloc(54).toString('base64url')
    const made = { challenge, rp: { id: site.host }, user: { id: victim.id } }
    return await old.call(addPasskey, { passkey: softwarePasskey(site.origin).create(data ?? made) }, freshAddress())
  },
  'remove authenticator': async ({ old }) => await old.call(removeTotp, {}, freshAddress()),
  'remove passkey': async ({ old, victim }) => {
    const { data } = await old.call(factorState, {}, freshAddress())
    return await old.call(removePasskey, { id: data?.passkeys[0]?.id ?? victim.id }, freshAddress())
  },
  'remove all factors': async ({ old }) => await old.call(removeFactors, {}, freshAddress()),
  'new recovery codes': async ({ old }) => await old.call(renewRecoveryCodes, {}, freshAddress()),
  export: async ({ old }) => await old.call(exportData, {}, freshAddress()),
  'close the account': async ({ old }) => await old.call(closeAccount, {}, freshAddress()),
}

/** Around the session: recovery, the link of a notice, 不是我, the help of an operator. */
const detours: Record<string, Act> = {
  recovery: async (walk) => {
    const { t, browser, victim, pick } = walk
    const opening = { account: victim.username, password: knownPassword(walk) }
    const ticket = (await browser.call(openRecovery, opening, freshAddress())).data?.ticket ?? 'none'
    const code = await mailed(walk, () => browser.call(sendRecoveryEmailCode, { ticket }, freshAddress()))
    await browser.call(proveRecovery, { ticket, code }, freshAddress())
    const purpose = pick(2) === 0 ? 'factor' : 'mobile'
    await browser.call(startRecovery, { ticket, purpose }, freshAddress())
    await pass(t, victim.id, '72 hours')
    await browser.call(undoByRecovery, { ticket, newPassword: otherPassword() }, freshAddress())
    const finished = await browser.call(finishFactorRecovery, { ticket }, freshAddress())
    const wanted = { ticket, ...number(fresh.mobile()), code: nowhere }
    const numbered = await browser.call(finishRecovery, wanted, freshAddress())
    return finished.status === 200 ? finished : numbered
  },
  undo: async (walk) => {
    const { browser, link } = walk
    const newPassword = otherPassword()
    const send = () => browser.call(sendUndoCode, link, freshAddress())
    const code = walk.has('sim') ? await texted(walk, send) : nowhere
    await browser.call(applyUndo, { ...link, code, newPassword }, freshAddress())
    return await browser.call(applyUndo, { ...link, password: knownPassword(walk), newPassword }, freshAddress())
  },
  'not mine': async ({ old }) => {
    const { data } = await old.call(listOwnSecurity, { top: 20, skip: 0 }, freshAddress())
    const others = data?.data.flatMap(({ session }) => (session && !session.current ? [session.id] : [])) ?? []
    const id = others[0] ?? '00000000-0000-4000-8000-000000000000'
    await old.call(disownSignIn, { id }, freshAddress())
    return undefined
  },
  'sign out all others': async ({ old }) => {
    await old.call(removeOtherDevices, {}, freshAddress())
    return undefined
  },
  'released number': async (walk) => {
    if (!walk.has('sim') || walk.pick(3) > 0) return undefined
    const { status } = await walk.operator.call(releaseMobile, { id: walk.victim.id, reason: '丢失' }, freshAddress())
    if (status === 200) walk.moved = true
    return undefined
  },
}

export const acts: Record<string, Act> = { ...signIns, ...secondSteps, ...stepUps, ...changes, ...detours }
