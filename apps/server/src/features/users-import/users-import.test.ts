import { appendFileSync, existsSync, readFileSync, statSync, truncateSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { confirmLogin, loginByMobile, loginByPassword } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importFiles, jsonl } from '../../../test/import-files.ts'
import {
  codeTo,
  createDatabase,
  fresh,
  startTestApp,
  type TestApp,
  type TestSite,
  testConfig,
  testKeys,
} from '../../../test/test-app.ts'
import { hashPassword } from '../../platform/crypto/password-hash.ts'
import type { SiteId } from '../../platform/ids.ts'
import { idFromSource } from './parse-user.ts'

/** Megabytes that a process has held at most. */
const memoryOf = (pid = 0): number => {
  const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : ''
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

let t: TestApp
let environment: Record<string, string>
let files: ReturnType<typeof importFiles>
beforeAll(async () => {
  const HUFU_DATABASE_URL = await createDatabase()
  const HUFU_KEYS = testKeys()
  t = await startTestApp({ HUFU_DATABASE_URL, HUFU_KEYS })
  const { redisUrl } = testConfig({ HUFU_DATABASE_URL })
  environment = { HUFU_DATABASE_URL, HUFU_REDIS_URL: redisUrl, HUFU_KEYS, HUFU_LOAD_SHEDDING: '0' }
  files = importFiles(environment)
})
afterAll(() => t.close())

const usersOf = async ({ id }: TestSite) =>
  (await t.deps.pool.query('SELECT * FROM users WHERE site_id = $1 ORDER BY username, id', [id])).rows
const countOf = async ({ id }: TestSite, table = 'users'): Promise<number> =>
  (await t.deps.pool.query(`SELECT count(*)::int AS count FROM ${table} WHERE site_id = $1`, [id])).rows[0].count

test('D485 a row keeps its id, names, times and status, and the names are as signing in spells them', {
  timeout: 180_000,
}, async () => {
  const site = await t.codeSite({ regions: ['CN', 'HK'], wechat: { appId: 'wxshop' } as never })
  const id = '0189C5B2-7F00-7ABC-8DEF-0123456789AB'
  const mobile = fresh.mobile()
  const email = fresh.email()
  const username = fresh.username()
  const row = {
    id,
    status: 'disabled',
    createdAt: '2019-03-04T05:06:07.123456+08:00',
    lastAccessAt: 1_700_000_000_000,
    nickname: ' 小\u200b明 ',
    mobile: `００86 ${mobile.slice(0, 3)}-${mobile.slice(3)}`,
    mobileVerifiedAt: '2026-01-02 03:04:05+08',
    email: ` ${email.toUpperCase()} `,
    username: username.toUpperCase(),
    wechat: [
      { appId: 'wxother', openid: 'oOther-1' },
      { appId: 'wxshop', openid: 'oShop_1', unionid: 'uShop' },
    ],
    wechatNickname: '风',
    passwordHash: await hashPassword({ loadShedding: false }, 'Qy#2026autumn'),
  }
  const { printed, refused } = await files.importFile(site.host, files.write(jsonl([row])))
  expect({ printed, refused }).toEqual({ printed: '1 users imported, 0 rows refused', refused: [] })
  const { rows: users } = await t.deps.pool.query(
    'SELECT *, listed_at::text AS listed FROM users WHERE site_id = $1 ORDER BY id',
    [site.id],
  )
  expect(users).toMatchObject([
    {
      id: id.toLowerCase(),
      status: 'disabled',
      nickname: '小明',
      mobile_prefix: '86',
      mobile,
      email,
      username: username.toUpperCase(),
      wechat_open_id: 'oShop_1',
      wechat_nickname: '风',
    },
  ])
  expect(new Date(users[0].listed).toISOString()).toBe('2019-03-03T21:06:07.123Z')
  expect(users[0].listed).toContain('.123456')
  const { rows: names } = await t.deps.pool.query(
    'SELECT kind, value, proved_at FROM identity WHERE site_id = $1 AND user_id = $2 ORDER BY kind',
    [site.id, id],
  )
  const never = new Date(0)
  expect(names).toEqual([
    { kind: 'email', value: email, proved_at: never },
    { kind: 'mobile', value: `+86${mobile}`, proved_at: new Date('2026-01-01T19:04:05Z') },
    { kind: 'username', value: username, proved_at: never },
    { kind: 'wechat.openid:wxother', value: 'oOther-1', proved_at: never },
    { kind: 'wechat.openid:wxshop', value: 'oShop_1', proved_at: never },
    { kind: 'wechat.unionid:wxshop', value: 'uShop', proved_at: never },
  ])
  expect(await countOf(site, 'user_identity')).toBe(names.length)
  const { rows: seen } = await t.deps.pool.query('SELECT last_access FROM user_access WHERE user_id = $1', [id])
  expect(seen).toEqual([{ last_access: new Date(1_700_000_000_000) }])
})

test('D485 an id of another form gives the same UUID each time, which others can compute', {
  timeout: 180_000,
}, async () => {
  // What uuid5 of Python's uuid computes.
  const names = '6ba7b810-9dad-11d1-80b4-00c04fd430c8' as SiteId
  expect(idFromSource(names, 'www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2')
  const site = await t.site()
  const sourceId = 'built-in/小明'
  await files.importFile(site.host, files.write(jsonl([{ sourceId, username: fresh.username() }])))
  const [user] = await usersOf(site)
  expect(user.id).toBe(idFromSource(site.id, sourceId))
  const again = await files.importFile(site.host, files.write(jsonl([{ sourceId, username: fresh.username() }])))
  expect(again.refused).toMatchObject([{ line: 1, field: 'id', code: 'ID_TAKEN', user: user.id }])
})

async function signInByCode(site: TestSite, mobile: string) {
  const browser = t.browser(site)
  await browser.call(sendMobileCode, { mobilePrefix: '86', mobile })
  const answer = await browser.call(loginByMobile, { mobilePrefix: '86', mobile, code: await codeTo(mobile) })
  return { browser, answer }
}

test('D486 a number counts as proved when the file says so, and as never proved where it says nothing', {
  timeout: 180_000,
}, async () => {
  const site = await t.codeSite()
  const day = 86_400_000
  const [silent, old, recent] = [fresh.mobile(), fresh.mobile(), fresh.mobile()]
  const rows = [
    { mobile: silent, nickname: '小明' },
    { mobile: old, nickname: '小明', mobileVerifiedAt: Date.now() - 91 * day },
    { mobile: recent, nickname: '小明', mobileVerifiedAt: Date.now() - 80 * day },
  ]
  expect((await files.importFile(site.host, files.write(jsonl(rows)))).refused).toEqual([])
  for (const mobile of [silent, old]) {
    const { browser, answer } = await signInByCode(site, mobile)
    expect(answer.code).toBe('LOGIN_CONFIRM')
    expect((await browser.call(userInfo)).status).toBe(401)
    const { ticket } = answer.details
    expect((await browser.call(confirmLogin, { ticket, mine: true, sure: true })).data).toMatchObject({
      created: false,
    })
    await t.passMinute(site, `+86${mobile}`)
    expect((await signInByCode(site, mobile)).answer.status, 'proved from now on').toBe(200)
  }
  expect((await signInByCode(site, recent)).answer.data).toMatchObject({ created: false })
})

test('D487 every refused row is reported with line, field, code and sentence, and no value of it', {
  timeout: 180_000,
}, async () => {
  const site = await t.site()
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
  const bad: [string, string | null, unknown][] = [
    ['NOT_JSON', null, '{"mobile": '],
    ['NOT_JSON', null, '[]'],
    ['NOT_JSON', null, 'null'],
    ['FIELD_UNKNOWN', null, { moblie: fresh.mobile() }],
    ['FIELD_UNKNOWN', null, '{"__proto__": {"status": "disabled"}, "username": "abcd"}'],
    ['FIELD_TYPE', 'mobile', { mobile: Number(fresh.mobile()) }],
    ['FIELD_TYPE', 'username', { username: ['abcd'] }],
    ['FIELD_TYPE', 'wechat', { wechat: [{ appId: 'wx1', openid: 5 }] }],
    ['ID_INVALID', 'id', { id: 'u-17', username: fresh.username() }],
    ['ID_INVALID', 'id', { id: '00000000-0000-0000-0000-000000000000', username: fresh.username() }],
    ['SOURCE_ID_INVALID', 'sourceId', { sourceId: 'a\u0000b', username: fresh.username() }],
    ['STATUS_INVALID', 'status', { status: 'locked', username: fresh.username() }],
    ['TIME_INVALID', 'createdAt', { createdAt: '2024-02-03 04:05:06', username: fresh.username() }],
    ['TIME_INVALID', 'createdAt', { createdAt: '1970-01-01T00:00:00Z', username: fresh.username() }],
    ['TIME_INVALID', 'mobileVerifiedAt', { mobile: fresh.mobile(), mobileVerifiedAt: tomorrow }],
    ['NICKNAME_INVALID', 'nickname', { nickname: 'x'.repeat(21), username: fresh.username() }],
    ['MOBILE_INVALID', 'mobile', { mobile: '12345' }],
    ['MOBILE_INVALID', 'mobile', { mobile: '01012345678' }],
    ['MOBILE_REGION', 'mobile', { mobile: '+14155550123' }],
    ['MOBILE_REGION', 'mobilePrefix', { mobilePrefix: '1', mobile: '4155550123' }],
    ['EMAIL_INVALID', 'email', { email: 'a@b' }],
    ['EMAIL_INVALID', 'email', { email: 'a\u0000@example.com' }],
    ['USERNAME_INVALID', 'username', { username: '小明小明' }],
    ['USERNAME_INVALID', 'username', { username: 'аdmin1' }],
    ['WECHAT_INVALID', 'wechat', { wechat: 'wx1' }],
    ['WECHAT_INVALID', 'wechat', { wechat: 'wx1:a wx1:b' }],
    ['NO_LOGIN_NAME', null, { nickname: '小明' }],
  ]
  const lines = bad.map(([, , row]) => (typeof row === 'string' ? row : JSON.stringify(row)))
  const path = files.write(Buffer.concat([Buffer.from(`${lines.join('\n')}\n`), Buffer.from([0xd0, 0xc2, 0x0a])]))
  const { printed, refused } = await files.importFile(site.host, path)
  expect(printed).toContain(`0 users imported, ${bad.length + 1} rows refused`)
  expect(refused.map(({ line, field, code }) => [line, code, field])).toEqual([
    ...bad.map(([code, field], index) => [index + 1, code, field]),
    [bad.length + 1, 'NOT_UTF8', null],
  ])
  for (const { message } of refused) expect(message).toMatch(/^[A-Z].+\.$|^sourceId.+\.$|^passwordAlgorithm.+\.$/)
  expect(await countOf(site)).toBe(0)
})

test('D487 a report in CSV has the same; a row with two faults is one refused row', { timeout: 180_000 }, async () => {
  const site = await t.site()
  const report = files.pathOf('csv')
  const path = files.write(jsonl([{ mobile: '1', email: 'a@b', username: fresh.username() }]))
  const printed = await files.hufu(['users', 'import', site.host, path, '--report', report])
  expect(printed).toContain('0 users imported, 1 rows refused')
  const lines = readFileSync(report, 'utf8').split('\r\n')
  expect(lines[0]).toBe('line,field,code,message,first,user')
  expect(lines.slice(1).map((line) => line.split(',').slice(0, 3))).toEqual([
    ['1', 'mobile', 'MOBILE_INVALID'],
    ['1', 'email', 'EMAIL_INVALID'],
    [''],
  ])
  expect(statSync(report).mode & 0o777).toBe(0o600)
})

/** Duplicates of the file and of the site, where a refused row keeps its names from none. */
async function withDuplicates(site: TestSite) {
  const [a, b, c, d] = [fresh.username(), fresh.username(), fresh.username(), fresh.username()]
  const email = fresh.email()
  const taken = await t.signIn(site)
  const id = '0189c5b2-7f00-4abc-8def-0123456789ab'
  const rows = [
    { username: a, id },
    { username: a.toUpperCase(), email },
    { username: b, email },
    { username: c, mobile: `+86 ${taken.mobile}` },
    { username: c },
    { username: d, id },
  ]
  const expected = [
    { line: 2, field: 'username', code: 'NAME_DUPLICATE', first: 1 },
    { line: 4, field: 'mobile', code: 'NAME_TAKEN', user: taken.id },
    { line: 6, field: 'id', code: 'NAME_DUPLICATE', first: 1 },
  ]
  return { path: files.write(jsonl(rows)), expected }
}

test('D488 the first line with a name gets it, others and those of the site are refused, and a dry run says the same', {
  timeout: 180_000,
}, async () => {
  const site = await t.codeSite()
  const { path, expected } = await withDuplicates(site)
  const tables = ['users', 'identity', 'user_identity', 'credential', 'user_access', 'user_import', 'password_form']
  const before = await Promise.all(tables.map((table) => countOf(site, table)))
  const log = () => countOf(site, 'operator_log')
  const logged = await log()
  const dry = await files.importFile(site.host, path, ['--dry-run'])
  expect(dry.printed).toContain('3 users can be imported, 3 rows refused')
  expect(dry.refused).toMatchObject(expected)
  expect(await Promise.all(tables.map((table) => countOf(site, table)))).toEqual(before)
  expect(await log()).toBe(logged)
  const events = await countOf(site, 'event')
  const real = await files.importFile(site.host, path)
  expect(real.printed).toContain('3 users imported, 3 rows refused')
  expect(await countOf(site, 'event')).toBe(events)
  expect(real.refused).toMatchObject(expected)
  expect(await log()).toBe(logged + 1)
})

test('D488 duplicates more than a batch apart are found by a dry run and by an import', {
  timeout: 180_000,
}, async () => {
  const site = await t.site()
  const names = Array.from({ length: 1_500 }, () => fresh.username())
  const rows = [...names, names[3], names[1_400]].map((username) => ({ username }))
  const path = files.write(jsonl(rows))
  const dry = await files.importFile(site.host, path, ['--dry-run'])
  expect(dry.refused).toMatchObject([
    { line: 1_501, code: 'NAME_DUPLICATE', first: 4 },
    { line: 1_502, code: 'NAME_DUPLICATE', first: 1_401 },
  ])
  const real = await files.importFile(site.host, path)
  expect(real.refused).toMatchObject([
    { line: 1_501, code: 'NAME_TAKEN', field: 'username' },
    { line: 1_502, code: 'NAME_DUPLICATE', first: 1_401 },
  ])
  expect(await countOf(site)).toBe(1_500)
})

test('D489 look-alike spellings are one name, and those that are not the same stay two', {
  timeout: 180_000,
}, async () => {
  const site = await t.site()
  const email = fresh.email()
  const mobile = fresh.mobile()
  const wide = [...mobile].map((digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)).join('')
  const rows = [
    { email },
    { email: email.toUpperCase() },
    { email: email.replace('@', '＠') },
    { mobile },
    { mobile: `0086${mobile}` },
    { mobile: `+86 ${mobile.slice(0, 3)} ${mobile.slice(3)}` },
    { mobile: wide },
  ]
  const { refused } = await files.importFile(site.host, files.write(jsonl(rows)))
  expect(refused.map(({ line, code, first }) => [line, code, first])).toEqual([
    [2, 'NAME_DUPLICATE', 1],
    [3, 'NAME_DUPLICATE', 1],
    [5, 'NAME_DUPLICATE', 4],
    [6, 'NAME_DUPLICATE', 4],
    [7, 'NAME_DUPLICATE', 4],
  ])
})

test('D490 CSV: byte order mark, CRLF, quotes, line ends in cells, empty lines and the number of the line', {
  timeout: 180_000,
}, async () => {
  const site = await t.site()
  const [one, two, three] = [fresh.username(), fresh.username(), fresh.username()]
  const path = files.write(
    `\uFEFF"username",nickname,wechat\r\n${one},"a ""b"", c",\r\n\r\n"${two}","d\ne",wx1:o1:u1 wx2:o2\r\n${three}\r\n${fresh.username()},,`,
    'csv',
  )
  const { printed, refused } = await files.importFile(site.host, path)
  expect(printed).toContain('3 users imported, 1 rows refused')
  expect(refused).toMatchObject([{ line: 6, field: null, code: 'CELLS_WRONG' }])
  const nicknames = Object.fromEntries((await usersOf(site)).map(({ username, nickname }) => [username, nickname]))
  expect(nicknames).toMatchObject({ [one]: 'a "b", c', [two]: 'de' })
  const { rows } = await t.deps.pool.query(
    "SELECT kind, value FROM identity WHERE site_id = $1 AND kind LIKE 'wechat%' ORDER BY 1",
    [site.id],
  )
  expect(rows.map(({ kind, value }) => `${kind} ${value}`)).toEqual([
    'wechat.openid:wx1 o1',
    'wechat.openid:wx2 o2',
    'wechat.unionid:wx1 u1',
  ])
})

test('D490 CSV whose cells can not be told apart is not read on, so no text of a user becomes a row', {
  timeout: 180_000,
}, async () => {
  const site = await t.site()
  const evil = fresh.username()
  const broken = [
    `username,nickname\n${fresh.username()},"a\n${evil},b\n`,
    `username,nickname\n${fresh.username()},"${'x'.repeat(70_000)}\n${evil},b"\n`,
    `username,nickname\n${fresh.username()},a"b"\n${evil},b\n`,
    `username,moblie\n${evil},1\n`,
    `username,username\n${evil},b\n`,
    '',
  ]
  for (const content of broken) {
    const flags = ['--report', files.pathOf('jsonl')]
    await expect(files.hufu(['users', 'import', site.host, files.write(content, 'csv'), ...flags])).rejects.toThrow(
      /line \d/,
    )
  }
  const names = (await usersOf(site)).map(({ username }) => username)
  expect(names).not.toContain(evil)
})

test('D491 a line of a gigabyte is refused in bounded memory, and the next lines are read', {
  timeout: 240_000,
}, async () => {
  const site = await t.site()
  const [before, after] = [fresh.username(), fresh.username()]
  const path = files.write(`${jsonl([{ username: before }])}{"username": "`)
  truncateSync(path, 2 ** 30)
  appendFileSync(path, `"}\n${jsonl([{ username: after }])}`)
  const report = files.pathOf('jsonl')
  const running = files.start(['users', 'import', site.host, path, '--report', report])
  let most = 0
  while (running.exitCode === null) {
    most = Math.max(most, memoryOf(running.pid))
    await sleep(20)
  }
  expect(running.exitCode).toBe(0)
  expect(await files.readRefused(report)).toMatchObject([{ line: 2, field: null, code: 'LINE_TOO_LONG' }])
  expect((await usersOf(site)).map(({ username }) => username).sort()).toEqual([before, after].sort())
  expect(most, 'megabytes').toBeGreaterThan(20)
  expect(most, 'megabytes').toBeLessThan(400)
})

test('D484 an imported password that breaks the rule of today still signs in', { timeout: 180_000 }, async () => {
  const site = await t.site()
  const username = fresh.username()
  const passwordHash = await hashPassword({ loadShedding: false }, 'abc')
  await files.importFile(site.host, files.write(jsonl([{ username, passwordHash }])))
  expect((await t.call(site, loginByPassword, { account: username, password: 'abc' })).status).toBe(200)
  expect((await t.call(site, loginByPassword, { account: username, password: 'abd' })).code).toBe('LOGIN_FAILED')
})
