import type { MerchantRight } from '@hufu/contract/merchant-rights'
import { grant } from '../src/features/users/users.service.ts'
import type { UserId } from '../src/platform/ids.ts'
import { type Member, member } from './account-user.ts'
import { makeOperator } from './enrolled.ts'
import { sessionOf, type TestApp, type TestBrowser, type TestSite } from './test-app.ts'

export type Operator = Member & { id: UserId }

/** As if a step-up had just been completed. A session that was used may be in the cache as it was. */
export async function checked(t: TestApp, browser: TestBrowser): Promise<void> {
  await t.deps.pool.query('UPDATE session SET two_factor_at = now() WHERE id = $1', [sessionOf(browser)])
}

/** As if a second factor had just been proved, which is a step-up as well. */
export async function factored(t: TestApp, browser: TestBrowser): Promise<void> {
  const now = 'UPDATE session SET two_factor_at = now(), factor_at = now() WHERE id = $1'
  await t.deps.pool.query(now, [sessionOf(browser)])
}

/** The second identity proof that a new browser owes. */
export async function second(t: TestApp, browser: TestBrowser): Promise<void> {
  await t.deps.pool.query('UPDATE session SET second_at = now() WHERE id = $1', [sessionOf(browser)])
}

/** A user with these rights and, unless said otherwise, with a second factor, signed in by it and with a step-up. */
export async function newOperator(
  t: TestApp,
  site: TestSite,
  actions: MerchantRight[],
  { check = true, factor = true } = {},
): Promise<Operator> {
  const user = await member(t, site)
  const id = user.id as UserId
  if (actions.length > 0 && factor) await makeOperator(t.deps, site.id, id, actions)
  else if (actions.length > 0) await grant(t.deps, site.id, id, 'MERCHANT', actions, 'test')
  if (check) await checked(t, user)
  return { ...user, id }
}

export interface Recorded {
  operator: string
  action: string
  target: string | null
  detail: unknown
}

/** The operator log of a user, oldest first. */
export async function recordsOf(t: TestApp, site: TestSite, operator: string): Promise<Recorded[]> {
  const query =
    'SELECT operator, action, target, detail FROM operator_log WHERE site_id = $1 AND operator = $2 ORDER BY at'
  return (await t.deps.pool.query(query, [site.id, operator])).rows
}

/** The security log of an account, oldest first. */
export async function eventsOf(
  t: TestApp,
  site: TestSite,
  userId: string,
): Promise<{ event: string; address: string }[]> {
  const query =
    'SELECT event, host(address) AS address FROM security_log WHERE site_id = $1 AND user_id = $2 ORDER BY at'
  return (await t.deps.pool.query(query, [site.id, userId])).rows
}
