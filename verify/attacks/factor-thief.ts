import { randomBytes } from 'node:crypto'
import { newSecret } from '../../apps/server/src/platform/crypto/hash.ts'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import type { WechatAccount } from '../../apps/server/test/wechat-phone.ts'
import { openidOf } from '../../apps/server/test/wechat-phone.ts'
import type { Browser, Harness, User } from '../harness/harness.ts'
import { throughWechat } from './by-wechat.ts'
import {
  type Account,
  age,
  type Factors,
  type ProtectedAccount,
  type Protection,
  protect,
  protectedAccount,
  steppedUp,
} from './protected-account.ts'
import { changedAccount } from './undoing.ts'

export type Possession = 'sim' | 'wechat' | 'password' | 'email'

/** What a thief holds of the account; never a factor of it. */
export const thieves: Record<string, Possession[]> = {
  'SIM alone': ['sim'],
  'SIM and WeChat': ['sim', 'wechat'],
  'password alone': ['password'],
  'e-mail alone': ['email'],
  'SIM and password': ['sim', 'password'],
}

export interface Ground {
  t: Harness
  site: TestSite
  wechat: WechatAccount
  /** An operator with a factor who was asked for help. */
  operator: Browser
  /** The thief's own account, with factors. */
  own: ProtectedAccount
}

/** One thief against one account. */
export interface Walk extends Ground {
  has: (possession: Possession) => boolean
  victim: Account & Factors
  /** The thief's browser. */
  browser: Browser
  /** One in which the thief was signed in before the account was protected, or one without a session. */
  old: Browser
  /** What the thief has got of the second step. */
  tickets: string[]
  /** The token of a notice's link and the change it is about, as the thief knows them. */
  link: { token: string; from: string }
  /** The number was taken off the account: recycled, or released by an operator. */
  moved: boolean
  pick: (below: number) => number
}

/** The users of the simulated WeChat: the account's and the thief's. */
export const wechatUsers = { victim: 'lin', thief: 'chen' }

/** The victim's WeChat leads to this account and to no other. */
async function giveWechat({ t, site, wechat }: Ground, id: string): Promise<void> {
  const { pool } = t.deps
  const openid = await openidOf(wechat, wechatUsers.victim)
  const kind = `wechat.openid:${wechat.appId}`
  for (const table of ['identity', 'user_identity'])
    await pool.query(`DELETE FROM ${table} WHERE site_id = $1 AND kind LIKE 'wechat.%'`, [site.id])
  await pool.query('INSERT INTO identity (site_id, kind, value, user_id) VALUES ($1, $2, $3, $4)', [
    site.id,
    kind,
    openid,
    id,
  ])
  await pool.query('INSERT INTO user_identity (site_id, user_id, kind, value) VALUES ($1, $2, $3, $4)', [
    site.id,
    id,
    kind,
    openid,
  ])
  await pool.query('UPDATE users SET wechat_open_id = $2 WHERE id = $1', [id, openid])
  // The owner's own sign-in makes all names of it known.
  await throughWechat(t.browser(site), '/api/login/wechat?tap=1', wechatUsers.victim)
}

export interface WalkOptions {
  possessions: Possession[]
  /** None: the account of a control, which the same acts open and change. */
  protection: Protection | undefined
  /** Whether the thief has a session from before. */
  earlier: boolean
  pick: Walk['pick']
}

/** The account was changed a moment before, so that there is a link; then it was protected. */
export async function begin(
  ground: Ground,
  { possessions, protection, earlier, pick }: WalkOptions,
): Promise<Walk & { owner: User }> {
  const { t, site } = ground
  const { token, from, ...user } = await changedAccount(t, site)
  await giveWechat(ground, user.id)
  const owner = await t.session(site, user.id)
  const old = earlier ? await t.session(site, user.id) : t.browser(site)
  // A moment before, it had completed a step-up of every kind that was needed then.
  if (earlier) await steppedUp(t, old)
  await age(t, user.id, '10 days')
  const none: Factors = { secret: undefined, passkey: undefined, recoveryCodes: [] }
  const factors = protection ? await protect(t, site, owner, protection) : none
  const has = (possession: Possession) => possessions.includes(possession)
  const link = has('email') ? { token, from } : { token: newSecret(), from }
  return {
    ...ground,
    has,
    victim: { ...user, ...factors },
    browser: t.browser(site),
    old,
    tickets: [],
    link,
    moved: false,
    pick,
    owner,
  }
}

export const groundOf = async (
  t: Harness,
  site: TestSite,
  wechat: WechatAccount,
  operator: Browser,
): Promise<Ground> => ({
  t,
  site,
  wechat,
  operator,
  own: await protectedAccount(t, site, 'both'),
})

/** One that no account has. */
export const otherPassword = () => `Dieb#${randomBytes(4).toString('hex')}`

const own = {
  users: 'to_jsonb(o) FROM users o WHERE id = $1',
  names: 'jsonb_build_array(kind, value) FROM identity o WHERE user_id = $1',
  password: 'to_jsonb(o) FROM credential o WHERE user_id = $1',
  passkeys: 'to_jsonb(o) FROM passkey o WHERE user_id = $1',
  totp: 'to_jsonb(o) FROM totp o WHERE user_id = $1',
  codes: 'to_jsonb(o) FROM recovery_code o WHERE user_id = $1',
  rights: 'to_jsonb(o) FROM permission o WHERE user_id = $1',
  closing: 'to_jsonb(o) FROM deletion o WHERE user_id = $1',
  recovery: 'to_jsonb(o) FROM recovery o WHERE user_id = $1',
  enrolment: 'to_jsonb(o) FROM enrolment_ticket o WHERE user_id = $1',
  exports: 'to_jsonb(o) FROM data_export o WHERE user_id = $1',
  trusted: 'to_jsonb(o.cookie_hash) FROM known_browser o WHERE user_id = $1 AND trusted_until IS NOT NULL',
}
const columns = Object.entries(own).map(([name, rows]) => `ARRAY(SELECT ${rows} ORDER BY 1) AS ${name}`)

export type Snapshot = Record<keyof typeof own, unknown[]> & { sessions: number }

/** All that a thief must not change, and how many sessions there ever were. When a name was last proved is none of it. */
export async function accountOf(t: Harness, id: string): Promise<Snapshot> {
  const { rows } = await t.deps.pool.query(
    `SELECT ${columns.join(', ')}, (SELECT count(*)::int FROM session WHERE user_id = $1) AS sessions`,
    [id],
  )
  return rows[0]
}
