import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { runCommand } from '../src/cli/commands.ts'
import { recordsOf } from './operator.ts'
import { startTestApp, type TestApp, type TestSite } from './test-app.ts'
import { type Receiver, startReceiver } from './webhook-receiver.ts'
import { webhookSecret } from './webhook-secret.ts'
import { happen, workLanes } from './webhooks.ts'

let t: TestApp
let site: TestSite
let receiver: Receiver
beforeAll(async () => {
  t = await startTestApp({ HUFU_INSECURE_HTTP: '1' })
  receiver = await startReceiver()
  site = await t.codeSite({ webhooks: [{ id: 'erp', url: receiver.url, secret: webhookSecret() }] })
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterAll(async () => {
  await receiver.close()
  await t.close()
})

/** What a command prints. */
async function run(action: string, options: Parameters<typeof runCommand>[1] = {}): Promise<unknown[]> {
  const printed: unknown[] = []
  const print = (value: unknown) => void printed.push(value)
  await runCommand(
    t.deps.config,
    { by: 'lin.zhixia', ...options },
    ['webhook', action, site.host],
    print,
    t.deps.sites.refresh,
  )
  return printed
}

test('D425 endpoints are listed with state and what waits, and one that was disabled is resumed', async () => {
  receiver.answer = () => 410
  await happen(t.deps, site, randomUUID(), 'nickname')
  await workLanes(t.deps)
  expect(await run('list')).toEqual([
    expect.stringMatching(/^erp {2}disabled\(gone\) {2}secret {2}failures=1 {2}waiting=1 {2}lag=\d+s {2}http/),
  ])
  receiver.answer = () => 204
  await run('resume', { id: 'erp' })
  await workLanes(t.deps)
  expect(await run('list')).toEqual([expect.stringMatching(/^erp {2}active {2}secret {2}ok {2}waiting=0 {2}lag=0s/)])
  expect((await recordsOf(t, site, 'cli:lin.zhixia')).map(({ action }) => action)).toEqual(['webhook.resume'])
  await expect(run('resume', { id: 'none' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('D425 a rotation prints the new secret, and ends with --finish', async () => {
  const [secret] = await run('rotate', { id: 'erp' })
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect((await run('list'))[0]).toContain('two-secrets')
  await run('rotate', { id: 'erp', finish: true })
  expect((await run('list'))[0]).toContain('  secret  ')
  await expect(run('rotate', { id: 'erp', finish: true })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  await expect(run('rotate', { id: 'none' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})
