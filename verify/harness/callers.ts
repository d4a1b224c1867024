import { changeStatus, grant } from '../../apps/server/src/features/users/users.service.ts'
import { makeOperator } from '../../apps/server/test/enrolled.ts'
import { sessionOf, type TestSite } from '../../apps/server/test/test-app.ts'
import type { Browser, Harness, User } from './harness.ts'

/** Every kind of caller, by the properties that the contract knows. */
export const roles = {
  anonymous: { actions: undefined, steppedUp: false },
  user: { actions: [], steppedUp: false },
  steppedUp: { actions: [], steppedUp: true },
  merchantRead: { actions: ['READ'], steppedUp: true },
  merchantWrite: { actions: ['READ', 'WRITE'], steppedUp: true },
  writeWithoutRead: { actions: ['WRITE'], steppedUp: true },
  merchantAdmin: { actions: ['READ', 'WRITE', 'ADMIN'], steppedUp: true },
  adminWithoutStepUp: { actions: ['READ', 'WRITE', 'ADMIN'], steppedUp: false },
  /** Never enrolled. */
  adminWithoutFactor: { actions: ['READ', 'WRITE', 'ADMIN'], steppedUp: true },
  /** Gave the factor more than twelve hours ago. */
  adminOfYesterday: { actions: ['READ', 'WRITE', 'ADMIN'], steppedUp: false },
  otherSite: { actions: ['READ', 'WRITE', 'ADMIN'], steppedUp: true },
  disabled: { actions: ['READ', 'WRITE', 'ADMIN'], steppedUp: true },
} as const

export type Role = keyof typeof roles

async function prove(t: Harness, browser: Browser): Promise<void> {
  await t.deps.pool.query('UPDATE session SET two_factor_at = now() WHERE id = $1', [sessionOf(browser)])
}

/** The factor was proved thirteen hours ago. */
async function age(t: Harness, browser: Browser): Promise<void> {
  const past = "UPDATE session SET two_factor_at = now(), factor_at = now() - interval '13 hours' WHERE id = $1"
  await t.deps.pool.query(past, [sessionOf(browser)])
}

/** A new user of that role in a browser of their own. */
export async function callerOf(
  t: Harness,
  role: Role,
  site: TestSite,
  other = site,
): Promise<Browser & { id?: User['id'] }> {
  const { actions, steppedUp } = roles[role]
  if (!actions) return t.browser(site)
  const home = role === 'otherSite' ? other : site
  const { id } = await t.user(home, { password: undefined })
  if (role === 'adminWithoutFactor') await grant(t.deps, home.id, id, 'MERCHANT', [...actions], 'attack')
  else if (actions.length > 0) await makeOperator(t.deps, home.id, id, actions, 'attack')
  const session = await t.session(home, id)
  if (steppedUp) await prove(t, session)
  if (role === 'adminOfYesterday') await age(t, session)
  if (role === 'disabled') await changeStatus(t.deps, home.id, id, 'disabled', 'attack')
  if (role !== 'otherSite') return session
  // The cookies of one site sent to another.
  const abroad = t.browser(site)
  for (const [name, value] of session.cookies) abroad.cookies.set(name, value)
  return { ...abroad, id }
}
