import type { Access, Endpoint } from '@hufu/contract/endpoint'
import { endpoints } from '@hufu/contract/endpoints'
import type { MerchantRight } from '@hufu/contract/merchant-rights'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newOperator, type Operator, recordsOf } from '../../../test/operator.ts'
import { startTestApp, type TestApp, type TestSite } from '../../../test/test-app.ts'
import { newWechat } from '../../../test/wechat-phone.ts'

let t: TestApp
let site: TestSite
const users = new Map<string, Operator>()
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite({ wechat: await newWechat() })
  for (const actions of holders) users.set(actions.join(), await newOperator(t, site, actions))
})
afterAll(() => t.close())

const merchantCalls = (endpoints as readonly Endpoint[]).filter(({ path }) => path.startsWith('/api/merchant/'))

const needed: Partial<Record<Access, MerchantRight[]>> = {
  merchantRead: ['READ'],
  merchantWrite: ['READ', 'WRITE'],
  merchantAdmin: ['READ', 'ADMIN'],
}

const holders: MerchantRight[][] = [
  [],
  ['READ'],
  ['WRITE'],
  ['ADMIN'],
  ['WRITE', 'ADMIN'],
  ['READ', 'WRITE'],
  ['READ', 'ADMIN'],
]

/** Calls that need a permission are listed here once more, so that a slip in the contract is noticed. */
const write = [
  'feedback/send',
  'feedback/picture',
  'feedback/status',
  'feedback/addNote',
  'feedback/removeNote',
  'replies/save',
  'replies/remove',
  'wechat/changeMenu',
  'wechat/sendMessage',
]
const admin = [
  'wechat/token',
  'config/update',
  'config/restore',
  'config/logo',
  'config/background',
  'user/status',
  'user/signOut',
  'user/releaseMobile',
  'user/cancelRecovery',
  'user/rights',
  'user/resetFactors',
  'user/export',
  'user/exports',
]

test('D011 what changes something needs WRITE, what changes users, settings and rights needs ADMIN', () => {
  const by = (access: Access) =>
    merchantCalls.filter((call) => call.access === access).map(({ path }) => path.replace('/api/merchant/', ''))
  expect(by('merchantAdmin').sort()).toEqual(admin.toSorted())
  expect(by('merchantWrite').sort()).toEqual(write.toSorted())
  expect(by('merchantRead').length + admin.length + by('merchantWrite').length).toBe(merchantCalls.length)
})

test.each(merchantCalls.map((call) => [call.path, call] as const))(
  'D010 D011 %s answers 403 FORBIDDEN without its rights, and only then',
  async (_path, call) => {
    const wanted = needed[call.access] ?? []
    for (const actions of holders) {
      const user = users.get(actions.join()) as Operator
      const { status, code, message } = await user.call(call, {})
      const enough = wanted.every((action) => actions.includes(action))
      if (!enough) expect([status, code, message], actions.join()).toEqual([403, 'FORBIDDEN', '没有权限执行此操作'])
      else expect([status === 403, code === 'FORBIDDEN', status < 500], actions.join()).toEqual([false, false, true])
    }
    expect((await t.call(site, call, {})).code).toBe('NOT_LOGGED_IN')
  },
)

test('a refused call stands in the log of the account that made it, summed, and in no line of the server', async () => {
  const user = await newOperator(t, site, [])
  const [call] = merchantCalls
  for (let tried = 0; tried < 3; tried++) await user.call(call as Endpoint, {})
  const { rows } = await t.deps.pool.query(
    "SELECT host(address) AS address, sum((detail->>'count')::int)::int AS count FROM security_log WHERE site_id = $1 AND user_id = $2 AND event = 'access.failed' GROUP BY address",
    [site.id, user.id],
  )
  expect(rows).toEqual([{ address: '127.0.0.1', count: 3 }])
  expect(t.log.join()).not.toContain(user.id)
})

test('D011 with READ alone nothing was changed by any of these calls', async () => {
  expect(await recordsOf(t, site, users.get('READ')?.id ?? '')).toEqual([])
})
