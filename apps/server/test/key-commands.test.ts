import { queryOperatorLog } from '@hufu/contract/operators'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../src/cli/commands.ts'
import { signingKeys } from '../src/features/oidc/keys.ts'
import { newOperator } from './operator.ts'
import { startTestApp, type TestApp, type TestSite } from './test-app.ts'

let t: TestApp
beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())

type Options = Parameters<typeof runCommand>[1]

async function rotate(options: Options): Promise<string[]> {
  const printed: string[] = []
  await runCommand(t.deps.config, { by: 'lin.zhixia', ...options }, ['keys', 'rotate'], (value) =>
    printed.push(String(value)),
  )
  return printed
}

const currentOf = async ({ id }: TestSite) => (await signingKeys(t.deps, id))[0]?.kid

const publishEarlier = (site: TestSite) =>
  t.deps.pool.query("UPDATE oidc_key SET staged_at = now() - interval '10 minutes' WHERE site_id = $1", [site.id])

test('D233 the command line rotates the signing keys of one site or of all that have some', async () => {
  const [one, other, without] = [await t.codeSite(), await t.site(), await t.site()]
  const [first, second] = [await currentOf(one), await currentOf(other)]
  await publishEarlier(one)
  expect(await rotate({ signing: true, site: one.host })).toEqual(['the signing keys of 1 sites were rotated'])
  expect(await currentOf(one)).not.toBe(first)
  expect(await currentOf(other)).toBe(second)
  const reader = await newOperator(t, one, ['READ'])
  const { data: log } = await reader.call(queryOperatorLog, { action: 'keys.rotate' })
  expect(log?.data).toMatchObject([{ by: 'lin.zhixia', target: await currentOf(one) }])

  await publishEarlier(other)
  await expect(rotate({ signing: true })).rejects.toThrow(
    new RegExp(`^the next signing key of site ${one.id} was published less than ten minutes ago`),
  )
  expect(await currentOf(other)).not.toBe(second)
  await expect(rotate({ signing: true, site: without.host })).rejects.toThrow('has no signing keys yet')
})

test('D214 keys rotate without --signing changes no signing key', async () => {
  const site = await t.site()
  const keys = await signingKeys(t.deps, site.id)
  await publishEarlier(site)
  expect(await rotate({})).toEqual([expect.stringMatching(/^\d+ configs and 0 sealed records re-sealed$/)])
  expect(await signingKeys(t.deps, site.id)).toEqual(keys)
})
