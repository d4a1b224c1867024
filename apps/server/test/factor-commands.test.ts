import { loginByPassword } from '@hufu/contract/login'
import { queryOperatorLog } from '@hufu/contract/operators'
import { userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { runCommand } from '../src/cli/commands.ts'
import { password } from './account-user.ts'
import { enrol } from './enrolled.ts'
import { newOperator } from './operator.ts'
import { fresh, startTestApp, type TestApp, type TestSite } from './test-app.ts'

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
})
afterAll(() => t.close())

type Options = Parameters<typeof runCommand>[1]

/** What a command prints. */
async function run(words: string, options: Options): Promise<string[]> {
  const printed: string[] = []
  await runCommand(t.deps.config, options, words.split(' '), (value) => void printed.push(String(value)))
  return printed
}

const reason = '最后一位管理员更换了手机'
const by = 'lin.zhixia'

test('D150 the command line resets the factors of an operator, by number or id, for a named human', async () => {
  const admin = await newOperator(t, site, ['READ', 'ADMIN'])
  for (const named of [{ mobile: admin.mobile }, { user: admin.id.toUpperCase() }]) {
    const [line = ''] = await run('factor reset', { site: site.host, reason, by, ...named })
    const [, enrolment, until = ''] = /^(\w{4}-\w{4}-\w{4}) {2}valid until (\S+),/.exec(line) ?? []
    expect(enrolment).toBeTruthy()
    expect(Math.abs(Date.parse(until) - Date.now() - 15 * 60_000)).toBeLessThan(60_000)
  }
  expect((await admin.call(userInfo)).code).toBe('SESSION_REMOVED')
  expect((await t.call(site, loginByPassword, { account: admin.username, password })).status).toBe(200)
  const { rows } = await t.deps.pool.query('SELECT protected FROM users WHERE id = $1', [admin.id])
  expect(rows).toEqual([{ protected: false }])
  const reader = await newOperator(t, site, ['READ'])
  const { data: log } = await reader.call(queryOperatorLog, { action: 'user.resetFactors' })
  expect(log?.data[0]).toMatchObject({ operator: null, by, person: { id: admin.id }, detail: { reason } })
})

test('D150 without a name, a reason or an operator nothing is reset', async () => {
  const admin = await newOperator(t, site, ['READ', 'ADMIN'])
  const customer = await newOperator(t, site, [])
  await enrol(t.deps, site.id, customer.id)
  const at = { site: site.host, mobile: admin.mobile }
  await expect(run('factor reset', { ...at, reason })).rejects.toThrow('--by is missing')
  await expect(run('factor reset', { ...at, by })).rejects.toThrow('--reason is missing')
  await expect(run('factor reset', { site: site.host, reason, by })).rejects.toThrow('--mobile is missing')
  await expect(run('factor reset', { site: site.host, user: 'x', reason, by })).rejects.toThrow(
    '--user is the whole id',
  )
  await expect(run('factor reset', { site: site.host, user: customer.id, reason, by })).rejects.toThrow('no operator')
  const { rows } = await t.deps.pool.query('SELECT FROM users WHERE id = ANY ($1) AND protected', [
    [admin.id, customer.id],
  ])
  expect(rows).toHaveLength(2)
  expect((await admin.call(userInfo)).status).toBe(200)
})

test('D151 a new address of a site warns of the passkeys that it makes useless', async () => {
  const at = await t.site()
  const { id } = await newOperator(t, at, ['READ'])
  await t.deps.pool.query(
    "INSERT INTO passkey (site_id, user_id, rp_id, credential_id, public_key, counter, synced, aaguid, name) VALUES ($1, $2, $3, 'x', 'x', 0, false, '', 'a')",
    [at.id, id, at.host],
  )
  const said = vi.spyOn(console, 'error').mockImplementation(() => {})
  const warnings = () => said.mock.calls.map(([text]) => String(text)).filter((text) => /passkeys/.test(text))
  await runCommand(t.deps.config, { origin: `https://${at.host}:8443`, by }, ['site', 'set', at.host], () => {})
  expect(warnings()).toEqual([])
  await runCommand(t.deps.config, { origin: `https://${fresh.host()}`, by }, ['site', 'set', at.host], () => {})
  expect(warnings()).toEqual([expect.stringMatching(/^1 passkeys belong to the former host/)])
  said.mockRestore()
})
