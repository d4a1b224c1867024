import { isUsername } from '@hufu/contract/account-rules'
import { AppError } from '../../platform/app-error.ts'
import { hashPassword } from '../../platform/crypto/password-hash.ts'
import type { SessionId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Deps } from '../../shared/deps.ts'
import { endTrust } from '../../shared/factors/factors.store.ts'
import { forgetOtherBrowsers } from '../../shared/sessions/known-browsers.store.ts'
import type { SessionToken } from '../../shared/sessions/session-cookie.ts'
import { endOtherSessions } from '../../shared/sessions/sessions.store.ts'
import type { Changer } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import type { Change } from '../users/account-change-notices.ts'
import { changeAccount, type Held } from '../users/change-account.ts'
import { ownMobile, parseMobile } from '../users/login-names.ts'
import { refuseWeak, requireRule } from '../users/new-password.ts'
import { replaceName } from '../users/replace-name.ts'
import { setPassword, showNames } from '../users/users.store.ts'
import { spendCode, tryCode } from '../verify-code/verify-code.service.ts'

type Needs = Pick<Deps, 'db' | 'redis' | 'cache' | 'config' | 'clock' | 'log'>

const change = (
  deps: Needs,
  site: Site,
  changer: Changer,
  kind: Change,
  apply: (tx: Db, held: Held) => Promise<SessionId[] | undefined>,
): Promise<SessionToken> => changeAccount(deps, site, changer, { kind, event: `${kind}.change` }, apply)

export interface NewMobile {
  mobilePrefix: string
  mobile: string
  code: string
}

export async function changeMobile(
  deps: Needs,
  site: Site,
  wanted: NewMobile,
  changer: Changer,
): Promise<SessionToken> {
  const { caller, address, browserHash } = changer
  const { mobilePrefix, code } = wanted
  const mobile = site.login.prefixes.includes(mobilePrefix) ? parseMobile(mobilePrefix, wanted.mobile) : undefined
  if (!mobile) throw new AppError('MOBILE_INVALID', { field: 'mobile' })
  const right = await tryCode(deps, site, {
    receiver: mobile.value,
    purpose: 'changeMobile',
    code,
    browserHash,
    address,
    guesser: 'session',
  })
  return await change(deps, site, changer, 'mobile', async (tx, { account, by }) => {
    await spendCode(tx, site.id, right)
    await replaceName(tx, by, site.id, caller.userId, 'mobile', ownMobile(account)?.value, mobile.value)
    await showNames(tx, by, site.id, caller.userId, { mobilePrefix: mobile.prefix, mobile: mobile.number })
    return undefined
  })
}

export async function changeEmail(
  deps: Needs,
  site: Site,
  { email, code }: { email: string; code: string },
  changer: Changer,
): Promise<SessionToken> {
  const { caller, address, browserHash } = changer
  const asked = { receiver: email, purpose: 'authorize' as const, browserHash, address, guesser: 'session' as const }
  const right = await tryCode(deps, site, { ...asked, code })
  return await change(deps, site, changer, 'email', async (tx, { account, by }) => {
    await spendCode(tx, site.id, right)
    await replaceName(tx, by, site.id, caller.userId, 'email', account.email ?? undefined, email)
    await showNames(tx, by, site.id, caller.userId, { email })
    return undefined
  })
}

export async function changeUsername(deps: Needs, site: Site, typed: string, changer: Changer): Promise<SessionToken> {
  const username = typed.trim()
  if (!isUsername(username)) throw new AppError('USERNAME_INVALID', { field: 'username' })
  const { caller } = changer
  return await change(deps, site, changer, 'username', async (tx, { account, by }) => {
    const former = account.username?.toLowerCase()
    // Only the spelling changes: the unique name stays.
    if (former !== username.toLowerCase() || account.username === username)
      await replaceName(tx, by, site.id, caller.userId, 'username', former, username.toLowerCase())
    await showNames(tx, by, site.id, caller.userId, { username })
    return undefined
  })
}

export async function changePassword(
  deps: Needs,
  site: Site,
  password: string,
  changer: Changer,
): Promise<SessionToken> {
  requireRule(password)
  // Hashing is slow on purpose: never under a lock.
  const secret = await hashPassword(deps.config, password)
  const { userId, session } = changer.caller
  return await change(deps, site, changer, 'password', async (tx, held) => {
    refuseWeak(password, held.account, [site.config.name ?? '', ...site.hosts])
    await setPassword(tx, held.by, site.id, userId, secret)
    await forgetOtherBrowsers(tx, site.id, userId, session.id)
    await endTrust(tx, site.id, userId)
    return await endOtherSessions(tx, site.id, userId, session.id, 'password')
  })
}
