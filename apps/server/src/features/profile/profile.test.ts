import { nicknameMost } from '@hufu/contract/account-rules'
import { errors } from '@hufu/contract/errors'
import { changeNickname, changePreference, userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeOperator } from '../../../test/enrolled.ts'
import { startTestApp, type TestApp, type TestSite, times } from '../../../test/test-app.ts'

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
})
afterAll(() => t.close())

test('S194 S195 S196 S197 S198 S199 S200 S368 the own info has every field', async () => {
  const user = await t.signIn(site)
  await makeOperator(t.deps, site.id, user.id, ['READ', 'WRITE'])
  await user.call(changeNickname, { nickname: '林知夏' })
  await user.call(changePreference, { dark: true, fontSize: 18 })
  const { status, data } = await user.call(userInfo)
  expect(status).toBe(200)
  expect(data).toEqual({
    id: user.id,
    avatar: false,
    avatarTime: null,
    nickname: '林知夏',
    wechatNickname: null,
    wechatOpenId: null,
    mobilePrefix: '86',
    mobile: user.mobile,
    username: null,
    email: null,
    password: false,
    twoFactor: false,
    lastAccess: expect.any(Number),
    permission: { MERCHANT: ['READ', 'WRITE'] },
    preference: { dark: true, fontSize: 18 },
    agreements: null,
    closing: null,
    recovery: null,
    recoveryPurpose: null,
    protected: true,
    enrolBy: null,
  })
})

test.each([
  ['a plain one', '林知夏', '林知夏'],
  ['space around and within', '  林  知\u3000夏 ', '林 知 夏'],
  ['a lone emoji', '🐯', '🐯'],
  ['twenty emoji', '🐯'.repeat(20), '🐯'.repeat(20)],
  ['twenty letters', 'x'.repeat(20), 'x'.repeat(20)],
  ['letters in parts are put together before they are counted', 'e\u0301'.repeat(20), '\u00e9'.repeat(20)],
  ['zero width characters go', '林\u200b知\u200d夏\ufeff', '林知夏'],
  ['marks that turn the direction go', '\u202e林知夏\u202c\u2066', '林知夏'],
  ['line breaks and control characters go', '林\n知\t夏\x07', '林知夏'],
  ['markup is only text', '<b>林</b>', '<b>林</b>'],
])('S381 nickname: %s', async (_title, nickname, kept) => {
  const user = await t.signIn(site)
  expect(await user.call(changeNickname, { nickname })).toMatchObject({ status: 200, data: null })
  expect((await user.call(userInfo)).data?.nickname).toBe(kept)
})

test.each([
  ['nothing', ''],
  ['only space', ' \u3000\u00a0\n'],
  ['only invisible characters', '\u200b\u200d\u202e\ufeff'],
  ['21 letters', 'x'.repeat(nicknameMost + 1)],
  ['21 emoji', '🐯'.repeat(nicknameMost + 1)],
])('S381 no nickname: %s', async (_title, nickname) => {
  const user = await t.signIn(site)
  await user.call(changeNickname, { nickname: '林知夏' })
  expect(await user.call(changeNickname, { nickname })).toMatchObject({
    status: 400,
    code: 'NICKNAME_INVALID',
    message: errors.NICKNAME_INVALID.message,
    details: { field: 'nickname' },
  })
  expect((await user.call(userInfo)).data?.nickname).toBe('林知夏')
})

test('S333 a user changes only the own account, on the own site', async () => {
  const abroad = await t.codeSite()
  const own = await t.signIn(site)
  const other = await t.signIn(site)
  const foreign = await t.signIn(abroad, { mobile: own.mobile })
  await own.call(changeNickname, { nickname: '林知夏', id: other.id, userId: other.id } as { nickname: string })
  await own.call(changePreference, { dark: true })
  for (const browser of [other, foreign]) {
    expect((await browser.call(userInfo)).data).toMatchObject({ nickname: null, preference: {} })
  }
})

test('preferences merge, null unsets, what is unknown is dropped, and the answer is the whole', async () => {
  const user = await t.signIn(site)
  const change = async (input: object) => (await user.call(changePreference, input)).data
  expect(await change({ dark: true, fontSize: 16 })).toEqual({ dark: true, fontSize: 16 })
  expect(await change({ region: 'CN', language: 'zh-CN' })).toEqual({
    dark: true,
    fontSize: 16,
    region: 'CN',
    language: 'zh-CN',
  })
  expect(await change({ dark: false, fontSize: null })).toEqual({ dark: false, region: 'CN', language: 'zh-CN' })
  expect(await change({ theme: 'x', dark: null, admin: true })).toEqual({ region: 'CN', language: 'zh-CN' })
  expect(await change({})).toEqual({ region: 'CN', language: 'zh-CN' })
  expect((await user.call(userInfo)).data?.preference).toEqual({ region: 'CN', language: 'zh-CN' })
  const { rows } = await t.deps.pool.query('SELECT preference FROM users WHERE id = $1', [user.id])
  expect(rows).toEqual([{ preference: { region: 'CN', language: 'zh-CN' } }])
})

test.each([{ dark: 'yes' }, { fontSize: 14 }, { fontSize: '16' }, { region: 'x'.repeat(21) }, { language: 7 }])(
  'an unknown preference is refused: %o',
  async (input) => {
    const user = await t.signIn(site)
    const field = Object.keys(input)[0]
    expect(await user.call(changePreference, input as object)).toMatchObject({
      code: 'INPUT_INVALID',
      details: { field },
    })
  },
)

test('changes of different preferences at once all count', async () => {
  const user = await t.signIn(site)
  for (let round = 0; round < 10; round++) {
    await user.call(changePreference, { dark: null, fontSize: null, region: null, language: null })
    await Promise.all([
      user.call(changePreference, { dark: true }),
      user.call(changePreference, { fontSize: 12 }),
      user.call(changePreference, { region: 'CN' }),
      user.call(changePreference, { language: 'zh-CN' }),
    ])
    expect((await user.call(userInfo)).data?.preference).toEqual({
      dark: true,
      fontSize: 12,
      region: 'CN',
      language: 'zh-CN',
    })
  }
})

test('none of it is open without a session', async () => {
  const answers = await Promise.all([
    t.call(site, changeNickname, { nickname: '林知夏' }),
    t.call(site, changePreference, { dark: true }),
    t.call(site, userInfo),
  ])
  expect(answers.map(({ code }) => code)).toEqual(times(3, () => 'NOT_LOGGED_IN'))
})
