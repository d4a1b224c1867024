import { createPrivateKey, createPublicKey, hash, sign, verify } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestSite, testKeys, times } from '../../../test/test-app.ts'
import { parseKeys } from '../../platform/crypto/secrets.ts'
import { newUserId, type SiteId } from '../../platform/ids.ts'
import { pairwiseSalt, resealKeys, rotateSigningKeys, type SigningKey, signingKeys } from './keys.ts'
import { signingKeysJob } from './signing-keys-job.ts'
import { subjectOf } from './subject.ts'

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
  site = await t.site()
})
afterAll(() => t.close())

const kids = (keys: SigningKey[]) => keys.map(({ kid }) => kid)

const passMinutes = (siteId: SiteId, minutes: number) =>
  t.deps.pool.query('UPDATE oidc_key SET staged_at = staged_at - make_interval(mins => $2) WHERE site_id = $1', [
    siteId,
    minutes,
  ])

const versionOf = async (siteId: SiteId) =>
  Number((await t.deps.pool.query('SELECT version FROM site WHERE id = $1', [siteId])).rows[0].version)

test('D210 a site has one current and one next key, however many processes ask first', async () => {
  const all = await Promise.all(times(6, () => signingKeys(t.deps, site.id)))
  expect(new Set(all.map((keys) => kids(keys).join()))).toHaveLength(1)
  const [current, next, ...more] = all[0] as SigningKey[]
  expect(more).toEqual([])
  expect(current).toMatchObject({ kty: 'RSA', alg: 'RS256', use: 'sig', kid: expect.stringMatching(/^[\w-]{43}$/) })
  expect(current?.kid).not.toBe(next?.kid)
  const key = createPrivateKey({ key: current as SigningKey, format: 'jwk' })
  expect(key.asymmetricKeyDetails?.modulusLength).toBe(2048)
  const signature = sign('sha256', Buffer.from('text'), key)
  expect(verify('sha256', Buffer.from('text'), createPublicKey(key), signature)).toBe(true)
})

test('D210 another site has keys of its own, and no key is stored in the clear', async () => {
  const other = await t.site()
  expect(kids(await signingKeys(t.deps, other.id))).not.toEqual(kids(await signingKeys(t.deps, site.id)))
  const { rows } = await t.deps.pool.query('SELECT sealed FROM oidc_key UNION ALL SELECT sealed FROM oidc_salt')
  for (const { sealed } of rows) expect(sealed).toMatch(/^sealed:\d+:[\w+/=]+$/)
})

test('D211 the thumbprint of RFC 7638 is the id of a key', async () => {
  for (const { kid, e, n } of await signingKeys(t.deps, site.id))
    expect(kid).toBe(hash('sha256', `{"e":"${e}","kty":"RSA","n":"${n}"}`, 'base64url'))
})

test('D212 a rotation moves every key on and raises the version of the site', async () => {
  const moving = await t.site()
  const before = await signingKeys(t.deps, moving.id)
  await passMinutes(moving.id, 10)
  const version = await versionOf(moving.id)
  await rotateSigningKeys(t.deps, moving.id, undefined)
  const once = await signingKeys(t.deps, moving.id)
  expect([once[0]?.kid, once[2]?.kid]).toEqual([before[1]?.kid, before[0]?.kid])
  expect(kids(before)).not.toContain(once[1]?.kid)
  expect(await versionOf(moving.id)).toBe(version + 1)
  await passMinutes(moving.id, 10)
  await rotateSigningKeys(t.deps, moving.id, 'cli:lin')
  const twice = await signingKeys(t.deps, moving.id)
  expect(twice).toHaveLength(3)
  expect([twice[0]?.kid, twice[2]?.kid]).toEqual([once[1]?.kid, once[0]?.kid])
  expect(kids(twice)).not.toContain(before[0]?.kid)
  const { rows } = await t.deps.pool.query(
    "SELECT operator, target FROM operator_log WHERE site_id = $1 AND action = 'keys.rotate'",
    [moving.id],
  )
  expect(rows).toEqual([{ operator: 'cli:lin', target: twice[0]?.kid }])
})

test('D213 a key that was published less than ten minutes ago does not sign', async () => {
  const moving = await t.site()
  await expect(rotateSigningKeys(t.deps, moving.id, undefined)).rejects.toThrow('has no signing keys yet')
  const before = await signingKeys(t.deps, moving.id)
  await passMinutes(moving.id, 9)
  const version = await versionOf(moving.id)
  await expect(rotateSigningKeys(t.deps, moving.id, undefined)).rejects.toThrow('less than ten minutes ago')
  expect(kids(await signingKeys(t.deps, moving.id))).toEqual(kids(before))
  expect(await versionOf(moving.id)).toBe(version)
})

test('D213 of two rotations at once one is refused', async () => {
  const moving = await t.site()
  const before = await signingKeys(t.deps, moving.id)
  await passMinutes(moving.id, 10)
  const ends = await Promise.allSettled(times(2, () => rotateSigningKeys(t.deps, moving.id, undefined)))
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect((await signingKeys(t.deps, moving.id))[0]?.kid).toBe(before[1]?.kid)
})

test('D214 keys and salts are sealed again under the current key of the environment', async () => {
  const own = await startTestApp()
  try {
    const { id } = await own.site()
    const [keys, salt] = [await signingKeys(own.deps, id), await pairwiseSalt(own.deps, id)]
    const [former] = [...own.deps.config.keys.byId.values()]
    const both = parseKeys(`${testKeys(2)},1:${former?.toString('base64')}`)
    const deps = { db: own.deps.db, config: { ...own.deps.config, keys: both } }
    expect(await resealKeys(deps)).toBe(3)
    expect(await resealKeys(deps)).toBe(0)
    const later = { current: '2', byId: new Map([...both.byId].filter(([number]) => number === '2')) }
    const without = { db: own.deps.db, config: { ...own.deps.config, keys: later } }
    expect(await signingKeys(without, id)).toEqual(keys)
    expect(await pairwiseSalt(without, id)).toEqual(salt)
  } finally {
    await own.close()
  }
})

test('D215 the salt of a site is made once, however many processes ask first', async () => {
  const salts = await Promise.all(times(6, () => pairwiseSalt(t.deps, site.id)))
  expect(new Set(salts.map((salt) => salt.toString('hex')))).toHaveLength(1)
  expect(salts[0]).toHaveLength(32)
})

test('D215 a third-party client has its own id of a user, the brand’s own clients the real one', async () => {
  const userId = newUserId()
  const salt = await pairwiseSalt(t.deps, site.id)
  const other = await pairwiseSalt(t.deps, (await t.site()).id)
  const shop = { id: 'shop' }
  expect(subjectOf(salt, { id: 'own', firstParty: true }, userId)).toBe(userId)
  expect(subjectOf(salt, shop, userId)).toBe(subjectOf(salt, shop, userId))
  const subjects = [
    subjectOf(salt, shop, userId),
    subjectOf(salt, { id: 'forum' }, userId),
    subjectOf(salt, shop, newUserId()),
    subjectOf(other, shop, userId),
  ]
  expect(new Set(subjects)).toHaveLength(4)
  for (const subject of subjects) expect(subject).toMatch(/^[\w-]{43}$/)
})

const signedFor = (siteId: SiteId, days: number) =>
  t.deps.pool.query('UPDATE oidc_key SET staged_at = staged_at - make_interval(days => $2) WHERE site_id = $1', [
    siteId,
    days,
  ])

test('D233 the daily job rotates what has signed for 90 days, and nothing else', async () => {
  const [old, young] = [await t.site(), await t.site()]
  const before = [await signingKeys(t.deps, old.id), await signingKeys(t.deps, young.id)]
  await signedFor(old.id, 90)
  await signedFor(young.id, 89)
  for (const _ of times(2, () => 0)) await signingKeysJob(t.deps).run(undefined)
  const [oldKeys, youngKeys] = [await signingKeys(t.deps, old.id), await signingKeys(t.deps, young.id)]
  expect(oldKeys.map(({ kid }) => kid)).toEqual([before[0]?.[1]?.kid, expect.any(String), before[0]?.[0]?.kid])
  expect(kids(youngKeys)).toEqual(kids(before[1] ?? []))
})

test('D233 one site that fails does not keep the others from a rotation', async () => {
  const [broken, fine] = [await t.site(), await t.site()]
  for (const { id } of [broken, fine]) await signingKeys(t.deps, id)
  const [current] = await signingKeys(t.deps, fine.id)
  await signedFor(broken.id, 90)
  await signedFor(fine.id, 90)
  await t.deps.pool.query("DELETE FROM oidc_key WHERE site_id = $1 AND stage = 'next'", [broken.id])
  await expect(signingKeysJob(t.deps).run(undefined)).rejects.toThrow('1 sites keep their signing keys')
  expect((await signingKeys(t.deps, fine.id))[2]?.kid).toBe(current?.kid)
  await t.deps.pool.query('DELETE FROM oidc_key WHERE site_id = $1', [broken.id])
})
