import { loginByMobile, loginByPassword } from '@hufu/contract/login'
import { agree, listConsents } from '@hufu/contract/personal-data'
import { userInfo } from '@hufu/contract/profile'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { member, password } from '../../../test/account-user.ts'
import { eventsOf } from '../../../test/operator.ts'
import { codeTo, startTestApp, type TestApp, type TestSite, times } from '../../../test/test-app.ts'
import { readConfig, saveConfig } from '../site/site.service.ts'

let t: TestApp
beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())

const agreements = (version: string) => ({
  agreements: { terms: 'https://qingyu.example/terms', privacy: 'https://qingyu.example/privacy', version },
})

/** Puts another version in force. */
async function publish(site: TestSite, version: string): Promise<void> {
  const { version: basedOn, config } = await readConfig(t.deps, site.id)
  await saveConfig(t.deps, site.id, { config: { ...config, ...agreements(version) }, basedOn }, 'test')
  await t.deps.sites.refresh()
}

const agreed = async (site: TestSite, id: string): Promise<number> =>
  (await eventsOf(t, site, id)).filter(({ event }) => event === 'agreements.agree').length

test('D080 a new version is agreed to where it was read, shows at once, and is on record', async () => {
  const site = await t.codeSite(agreements('1'))
  const user = await member(t, site)
  expect((await user.call(userInfo)).data?.agreements).toBeNull()
  expect(await user.call(agree, { version: '1' })).toMatchObject({ status: 200, data: null })
  expect((await user.call(userInfo)).data?.agreements).toBe('1')
  await publish(site, '2')
  await user.call(agree, { version: '2' })
  expect((await user.call(userInfo)).data?.agreements).toBe('2')
  const { data } = await user.call(listConsents)
  expect(data).toEqual({
    count: 2,
    data: [
      { version: '2', time: expect.any(Number) },
      { version: '1', time: expect.any(Number) },
    ],
  })
  expect(await agreed(site, user.id)).toBe(2)
})

test('only the version in force can be agreed to', async () => {
  const site = await t.codeSite(agreements('2'))
  const user = await member(t, site)
  for (const version of ['1', '3', '2 ']) expect((await user.call(agree, { version })).code).toBe('AGREEMENTS_OTHER')
  for (const version of ['', 'x'.repeat(41), 2 as never])
    expect((await user.call(agree, { version })).code).toBe('INPUT_INVALID')
  expect((await t.call(site, agree, { version: '2' })).code).toBe('NOT_LOGGED_IN')
  expect((await user.call(listConsents)).data).toEqual({ count: 0, data: [] })
  const without = await member(t, await t.codeSite())
  expect((await without.call(agree, { version: '2' })).code).toBe('AGREEMENTS_OTHER')
})

test('however often and at once it is agreed to, it is stored and recorded once', async () => {
  const site = await t.codeSite(agreements('1'))
  const user = await member(t, site)
  const answers = await Promise.all(times(10, () => user.call(agree, { version: '1' })))
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  expect((await user.call(listConsents)).data?.count).toBe(1)
  expect(await agreed(site, user.id)).toBe(1)
})

test('a version that comes back into force is agreed to again, and asks no more after that', async () => {
  const site = await t.codeSite(agreements('1'))
  const user = await member(t, site)
  await user.call(agree, { version: '1' })
  await publish(site, '2')
  await user.call(agree, { version: '2' })
  await publish(site, '1')
  expect((await user.call(userInfo)).data?.agreements).toBe('2')
  await user.call(agree, { version: '1' })
  expect((await user.call(userInfo)).data?.agreements).toBe('1')
  expect((await user.call(listConsents)).data?.data.map(({ version }) => version)).toEqual(['1', '2'])
})

test('D080 what is agreed to by signing in elsewhere shows at once in sessions that are live already', async () => {
  const site = await t.codeSite(agreements('1'))
  const user = await member(t, site)
  expect((await user.call(userInfo)).data?.agreements).toBeNull()
  const { status } = await t.call(site, loginByPassword, { account: user.username, password, agreements: '1' })
  expect(status).toBe(200)
  expect((await user.call(userInfo)).data?.agreements).toBe('1')
  await publish(site, '2')
  const phone = t.browser(site)
  await phone.call(sendMobileCode, { mobilePrefix: '86', mobile: user.mobile })
  const login = { mobilePrefix: '86', mobile: user.mobile, code: await codeTo(user.mobile), agreements: '2' }
  expect((await phone.call(loginByMobile, login)).status).toBe(200)
  expect((await user.call(userInfo)).data?.agreements).toBe('2')
})
