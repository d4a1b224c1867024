import { changeEmail, changeMobile } from '@hufu/contract/account'
import type { Endpoint } from '@hufu/contract/endpoint'
import { confirmLogin, loginByMobile, sendConfirmCode } from '@hufu/contract/login'
import { finishRecovery, proveRecovery, sendRecoveryEmailCode, sendRecoveryMobileCode } from '@hufu/contract/recovery'
import { sendTwoFactorEmailCode, sendTwoFactorMobileCode, verifyTwoFactor } from '@hufu/contract/two-factor'
import { applyUndo, sendUndoCode } from '@hufu/contract/undo'
import { sendEmailCode, sendMobileCode } from '@hufu/contract/verify-code'
import { mailedCode, openTicket, readyTicket, wantedNumber } from '../../apps/server/test/recovering.ts'
import { fresh, sessionOf, type TestSite } from '../../apps/server/test/test-app.ts'
import {
  askCode,
  type Browser,
  type CallResponse,
  codeSent,
  freshAddress,
  type Harness,
  number,
  type User,
} from '../harness/harness.ts'
import { allEndpoints, answerFieldsOf, fieldsOf } from './samples.ts'
import { changedAccount } from './undoing.ts'

/** A code that has arrived, and how it is used. */
export interface SentCode {
  /** The receiver under which the store keeps it. */
  receiver: string
  right: string
  asker: Browser
  submit(code: string, browser?: Browser): Promise<CallResponse<unknown>>
  /** Another caller who may use the same call. */
  stranger(): Promise<Browser>
}

export interface CodeKind {
  name: string
  sender: Endpoint
  spender: Endpoint
  purpose: string
  /** Counts nowhere but in the session, or with the ticket, that asked for it. */
  bound: boolean
  signsIn?: true
  ask(t: Harness, site: TestSite): Promise<SentCode>
}

/** Every call that has a code sent, and every call that takes one. */
const codeSenders = allEndpoints.filter((endpoint) => answerFieldsOf(endpoint).includes('retryAfter'))
const codeSpenders = allEndpoints.filter((endpoint) => fieldsOf(endpoint).includes('code'))

/** A user whose session has passed the step-up and needs no second identity proof. */
export async function checkedSession(t: Harness, site: TestSite): Promise<User> {
  const browser = await t.session(site, (await t.user(site, { password: undefined })).id)
  const checked = 'UPDATE session SET two_factor_at = now(), second_at = now() WHERE id = $1'
  await t.deps.pool.query(checked, [sessionOf(browser)])
  return browser
}

/** A user whose number was not proved for long: the ticket that the browser gets for a right SMS code. */
export async function confirmTicket(t: Harness, browser: Browser, id: string, mobile: string) {
  await t.deps.pool.query("UPDATE identity SET proved_at = now() - interval '91 days' WHERE user_id = $1", [id])
  const { details } = await browser.call(loginByMobile, { ...number(mobile), code: await askCode(browser, mobile) })
  return details.ticket as string
}

/** For an existing account, or for one that the code creates. */
const login =
  (known: boolean): CodeKind['ask'] =>
  async (t, site) => {
    const mobile = known ? (await t.user(site, { password: undefined })).mobile : fresh.mobile()
    const asker = t.browser(site)
    return {
      receiver: `+86${mobile}`,
      right: await askCode(asker, mobile),
      asker,
      submit: (code, browser = asker) => browser.call(loginByMobile, { ...number(mobile), code }, freshAddress()),
      stranger: async () => t.browser(site),
    }
  }

const newNumber: CodeKind['ask'] = async (t, site) => {
  const mobile = fresh.mobile()
  const asker = await checkedSession(t, site)
  return {
    receiver: `+86${mobile}`,
    right: await askCode(asker, mobile),
    asker,
    submit: (code, browser = asker) => browser.call(changeMobile, { ...number(mobile), code }, freshAddress()),
    stranger: () => checkedSession(t, site),
  }
}

const newAddress: CodeKind['ask'] = async (t, site) => {
  const email = fresh.email()
  const asker = await checkedSession(t, site)
  return {
    receiver: email,
    right: await codeSent(await asker.call(sendEmailCode, { email, type: 'authorize' }), email),
    asker,
    submit: (code, browser = asker) => browser.call(changeEmail, { email, code }, freshAddress()),
    stranger: () => checkedSession(t, site),
  }
}

/** The step-up of a user who has a number, or only an e-mail address. */
const check =
  (way: 'mobile' | 'email'): CodeKind['ask'] =>
  async (t, site) => {
    const { id, mobile, email } = await t.user(site, {
      password: undefined,
      ...(way === 'email' && { mobile: undefined }),
    })
    const asker = await t.session(site, id)
    const sent = await asker.call(way === 'email' ? sendTwoFactorEmailCode : sendTwoFactorMobileCode)
    return {
      receiver: way === 'email' ? email : `+86${mobile}`,
      right: await codeSent(sent, way === 'email' ? email : mobile),
      asker,
      submit: (code, browser = asker) => browser.call(verifyTwoFactor, { code, way }, freshAddress()),
      stranger: () => t.session(site, id),
    }
  }

const confirm: CodeKind['ask'] = async (t, site) => {
  const { id, mobile, email } = await t.user(site, { password: undefined })
  const asker = t.browser(site)
  const ticket = await confirmTicket(t, asker, id, mobile)
  return {
    receiver: email,
    right: await codeSent(await asker.call(sendConfirmCode, { ticket }), email),
    asker,
    submit: (code, browser = asker) => browser.call(confirmLogin, { ticket, mine: true, code }, freshAddress()),
    stranger: async () => t.browser(site),
  }
}

const recovery: CodeKind['ask'] = async (t, site) => {
  const { username, email } = await t.user(site)
  const asker = t.browser(site)
  const ticket = await openTicket(asker, username)
  return {
    receiver: email,
    right: await mailedCode(t, site, asker, ticket, email),
    asker,
    submit: (code, browser = asker) => browser.call(proveRecovery, { ticket, code }, freshAddress()),
    stranger: async () => t.browser(site),
  }
}

const recoveredNumber: CodeKind['ask'] = async (t, site) => {
  const asker = t.browser(site)
  const wanted = await wantedNumber(asker, await readyTicket(t, site, asker, await t.user(site)))
  return {
    receiver: `+86${wanted.mobile}`,
    right: wanted.code,
    asker,
    submit: (code, browser = asker) => browser.call(finishRecovery, { ...wanted, code }, freshAddress()),
    stranger: async () => t.browser(site),
  }
}

const undone: CodeKind['ask'] = async (t, site) => {
  const { mobile, token, from } = await changedAccount(t, site)
  const asker = t.browser(site)
  const input = { token, from, newPassword: 'Neu#2026undo' }
  return {
    receiver: `+86${mobile}`,
    right: await codeSent(await asker.call(sendUndoCode, { token, from }), mobile),
    asker,
    submit: (code, browser = asker) => browser.call(applyUndo, { ...input, code }, freshAddress()),
    stranger: async () => t.browser(site),
  }
}

const bound = true

/** Every kind of code there is: what sends it, what takes it, whether another browser may. */
export const codeKinds: CodeKind[] = [
  {
    name: 'sign-in',
    sender: sendMobileCode,
    spender: loginByMobile,
    purpose: 'login',
    bound: false,
    signsIn: true,
    ask: login(true),
  },
  {
    name: 'sign-up',
    sender: sendMobileCode,
    spender: loginByMobile,
    purpose: 'login',
    bound: false,
    signsIn: true,
    ask: login(false),
  },
  {
    name: 'new number',
    sender: sendMobileCode,
    spender: changeMobile,
    purpose: 'changeMobile',
    bound: false,
    ask: newNumber,
  },
  {
    name: 'new address',
    sender: sendEmailCode,
    spender: changeEmail,
    purpose: 'authorize',
    bound: false,
    ask: newAddress,
  },
  {
    name: 'texted check',
    sender: sendTwoFactorMobileCode,
    spender: verifyTwoFactor,
    purpose: 'twoFactor',
    bound,
    ask: check('mobile'),
  },
  {
    name: 'mailed check',
    sender: sendTwoFactorEmailCode,
    spender: verifyTwoFactor,
    purpose: 'twoFactor',
    bound,
    ask: check('email'),
  },
  {
    name: 'confirmed sign-in',
    sender: sendConfirmCode,
    spender: confirmLogin,
    purpose: 'confirm',
    bound,
    signsIn: true,
    ask: confirm,
  },
  {
    name: 'recovery',
    sender: sendRecoveryEmailCode,
    spender: proveRecovery,
    purpose: 'recovery',
    bound,
    ask: recovery,
  },
  {
    name: 'recovered number',
    sender: sendRecoveryMobileCode,
    spender: finishRecovery,
    purpose: 'recoveryMobile',
    bound,
    ask: recoveredNumber,
  },
  {
    name: 'undone change',
    sender: sendUndoCode,
    spender: applyUndo,
    purpose: 'undo',
    bound,
    ask: undone,
  },
]

const paths = (endpoints: readonly Endpoint[]) => [...new Set(endpoints.map(({ path }) => path))].sort()

/** Calls of the contract that send or take a code and are in no kind above, and the other way round. */
export function unknownCodeCalls(): string[] {
  const sides = [
    [paths(codeSenders), paths(codeKinds.map(({ sender }) => sender))],
    [paths(codeSpenders), paths(codeKinds.map(({ spender }) => spender))],
  ] as const
  return sides.flatMap(([all, known]) => all.filter((path) => !known.includes(path)))
}
