import { loginByMobile, loginByPassword } from '@hufu/contract/login'
import { exportUsers, readUser, setUserRights } from '@hufu/contract/merchant-users'
import { expect } from 'vitest'
import { fresh, type TestSite, times } from '../../apps/server/test/test-app.ts'
import { callerOf } from './callers.ts'
import { type Harness, number } from './harness.ts'
import { together } from './http.ts'

/** What one attack does to a site, and the alert that must say so. */
export const alertingAttacks: Record<string, (t: Harness, site: TestSite) => Promise<void>> = {
  async HufuSignInsFailing(t, site) {
    const guess = () => t.browser(site).call(loginByPassword, { account: fresh.username(), password: 'Wrong#2026x' })
    const answers = await together(310, 4, guess)
    expect(answers.filter(({ code }) => code === 'LOGIN_FAILED').length).toBeGreaterThan(300)
  },
  async HufuCodesWrong(t, site) {
    const guess = () => t.browser(site).call(loginByMobile, { ...number(fresh.mobile()), code: '000000' })
    const answers = await together(310, 4, guess)
    expect(answers.filter(({ code }) => code === 'CODE_WRONG').length).toBeGreaterThan(300)
  },
  async HufuRightsGranted(t, site) {
    const admin = await callerOf(t, 'merchantAdmin', site)
    const { id } = await t.user(site, { password: undefined })
    expect((await admin.call(setUserRights, { id, actions: ['READ'] })).status).toBe(200)
  },
  async HufuUsersExported(t, site) {
    const admin = await callerOf(t, 'merchantAdmin', site)
    expect((await admin.call(exportUsers, {})).status).toBe(200)
  },
  async HufuUsersRead(t, site) {
    const reader = await callerOf(t, 'merchantRead', site)
    const users = await Promise.all(times(101, () => t.user(site, { password: undefined })))
    const answers = await together(users.length, 4, (index) => reader.call(readUser, { id: users[index]?.id ?? '' }))
    expect(answers.map(({ status }) => status)).toEqual(times(users.length, () => 200))
  },
}
