import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Answering,
  type SoftwarePasskey,
  softwarePasskey,
} from '../../../../../tools/simulators/software-passkey.ts'
import { startTestApp, type TestApp, type TestSite, times } from '../../../test/test-app.ts'
import type { SessionId, UserId } from '../../platform/ids.ts'
import { rpIdOf } from '../../shared/sites/rp-id.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { withoutStepUp } from '../../shared/step-up/authority.ts'
import { createUser } from '../users/users.service.ts'
import { type ChallengeUse, newChallenge } from './passkey-challenges.ts'
import { creationOptions, requestOptions } from './passkey-options.ts'
import { deletePasskey, findPasskey, insertPasskey } from './passkeys.store.ts'
import { provePasskey, spendPasskey } from './prove-passkey.ts'
import { type Attestation, verifyAttestation } from './verify-passkey.ts'

let t: TestApp
let site: Site
const by = withoutStepUp('commandLine')

beforeAll(async () => {
  t = await startTestApp()
  site = siteOf(await t.site())
})
afterAll(() => t.close())

const siteOf = ({ id }: TestSite): Site => t.deps.sites.get(id) as Site

const holder = (): Buffer => randomBytes(32)
const challenge = (use: Omit<ChallengeUse, 'siteId'>, of: Site = site, now = t.deps.clock.now()) =>
  newChallenge(t.deps.config.keys, { ...use, siteId: of.id }, now)

async function attest(passkey: SoftwarePasskey, userId: string, answering: Answering = {}, of: Site = site) {
  const use = { purpose: 'enrol' as const, holder: randomUUID() as SessionId }
  const options = creationOptions(of, 'A', challenge(use, of), { id: userId, name: 'a', displayName: 'a' }, [])
  return await verifyAttestation(t.deps, of, use, passkey.create(options, answering) as Attestation)
}

/** A user with a passkey that is stored as a browser made it. */
async function enrolled({ counter = 0, of = site }: { counter?: number; of?: Site } = {}) {
  const userId = (await createUser(t.deps, of.id, { username: `u${randomBytes(6).toString('hex')}` }, 'test')) as UserId
  const passkey = softwarePasskey(of.origin, { counter })
  const verified = await attest(passkey, userId, {}, of)
  if (!verified) throw new Error('the passkey was refused')
  await insertPasskey(t.deps.db, by, of.id, userId, { ...verified.passkey, name: 'a' })
  return { userId, passkey }
}

interface Try {
  answering?: Answering
  /** What the challenge was made for, and what it is used for. */
  made?: Omit<ChallengeUse, 'siteId'>
  used?: Omit<ChallengeUse, 'siteId'>
  userId?: UserId
}

async function prove(passkey: SoftwarePasskey, { answering = {}, made, used, userId }: Try = {}, of: Site = site) {
  const use = made ?? { purpose: 'login' as const, holder: holder() }
  const answer = passkey.get(requestOptions(of, challenge(use, of)), answering)
  return await provePasskey(t.deps, of, {
    use: used ?? use,
    passkey: answer as never,
    address: '192.0.2.1',
    ...(userId && { userId }),
  })
}

const spend = (right: Awaited<ReturnType<typeof prove>>, of: Site = site) =>
  t.deps.db.transaction().execute((tx) => spendPasskey(tx, of, right))

async function codeOf(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => 'accepted',
    (error) => error.code ?? String(error),
  )
}

const signIn = async (passkey: SoftwarePasskey, one: Try = {}): Promise<string> =>
  await codeOf(prove(passkey, one).then((right) => spend(right)))

test('D140 a passkey signs in, and its counter is noted', async () => {
  const { userId, passkey } = await enrolled({ counter: 1 })
  const right = await prove(passkey)
  expect(right).toMatchObject({ userId, counter: 2, status: 'active' })
  await spend(right)
  const stored = await findPasskey(t.deps.db, site.id, Buffer.from(passkey.id, 'base64url'))
  expect(stored).toMatchObject({ userId, counter: 2 })
})

test('D140 an answer counts once: of 50 at once one is accepted', async () => {
  const { passkey } = await enrolled({ counter: 1 })
  const right = await prove(passkey)
  const outcomes = await Promise.all(times(50, () => codeOf(spend(right))))
  expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1)
  expect(outcomes.filter((outcome) => outcome === 'FACTOR_WRONG')).toHaveLength(49)
})

test('D140 a counter that was used is refused, also of two answers at once with challenges of their own', async () => {
  const { passkey } = await enrolled({ counter: 5 })
  expect(await signIn(passkey, { answering: { counter: 5 } })).toBe('FACTOR_WRONG')
  expect(await signIn(passkey, { answering: { counter: 4 } })).toBe('FACTOR_WRONG')
  expect(await signIn(passkey, { answering: { counter: 0 } })).toBe('FACTOR_WRONG')
  const rights = await Promise.all(times(50, () => prove(passkey, { answering: { counter: 6 } })))
  const outcomes = await Promise.all(rights.map((right) => codeOf(spend(right))))
  expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1)
  expect(await signIn(passkey, { answering: { counter: 7 } })).toBe('accepted')
})

test('D140 an authenticator without a counter answers 0 every time', async () => {
  const { passkey } = await enrolled()
  expect(await signIn(passkey)).toBe('accepted')
  expect(await signIn(passkey)).toBe('accepted')
})

describe('D140 refused:', () => {
  test.each<[string, Answering]>([
    ['without user verification', { userVerified: false }],
    ['of another origin', { origin: 'https://elsewhere.example.com' }],
    ['of another port of the host', { origin: 'https://elsewhere.example.com:8443' }],
    ['for another host', { rpId: 'elsewhere.example.com' }],
    ['from a frame of another site', { crossOrigin: true }],
    ['with the handle of another user', { userHandle: Buffer.alloc(16, 7).toString('base64url') }],
    ['without a handle, where the account is not known', { userHandle: null }],
    ['with a challenge that is not ours', { challenge: randomBytes(54).toString('base64url') }],
    ['with a short challenge', { challenge: 'AAAA' }],
  ])('an answer %s', async (_, answering) => {
    const { passkey } = await enrolled()
    expect(await signIn(passkey, { answering })).toBe('FACTOR_WRONG')
    expect(await signIn(passkey)).toBe('accepted')
  })

  test('a signature of another key', async () => {
    const [own, other] = [await enrolled(), await enrolled()]
    const use = { purpose: 'login' as const, holder: holder() }
    const options = requestOptions(site, challenge(use))
    const answer = own.passkey.get(options)
    const forged = {
      ...answer,
      response: { ...answer.response, signature: other.passkey.get(options).response.signature },
    }
    const proof = { use, passkey: forged as never, address: '192.0.2.1' }
    expect(await codeOf(provePasskey(t.deps, site, proof))).toBe('FACTOR_WRONG')
  })

  test('a challenge of another browser, session, purpose or site, and one of six minutes ago', async () => {
    const { passkey } = await enrolled()
    const made = { purpose: 'login' as const, holder: holder() }
    const stepUp = { purpose: 'stepUp' as const, holder: randomUUID() }
    expect(await signIn(passkey, { made, used: { purpose: 'login', holder: holder() } })).toBe('FACTOR_WRONG')
    expect(await signIn(passkey, { made: stepUp, used: { purpose: 'stepUp', holder: randomUUID() } })).toBe(
      'FACTOR_WRONG',
    )
    expect(await signIn(passkey, { made: stepUp, used: { purpose: 'login', holder: stepUp.holder } })).toBe(
      'FACTOR_WRONG',
    )
    expect(await signIn(passkey, { made: stepUp, used: { purpose: 'enrol', holder: stepUp.holder } })).toBe(
      'FACTOR_WRONG',
    )
    const elsewhere = challenge(made, siteOf(await t.site()))
    expect(await signIn(passkey, { made, answering: { challenge: elsewhere } })).toBe('FACTOR_WRONG')
    const old = challenge(made, site, t.deps.clock.now() - 6 * 60_000)
    expect(await signIn(passkey, { made, answering: { challenge: old } })).toBe('FACTOR_WRONG')
    const changed = Buffer.from(challenge(made, site, t.deps.clock.now() - 6 * 60_000), 'base64url')
    changed.writeUIntBE(t.deps.clock.now() + 60_000, 16, 6)
    const longer = changed.toString('base64url')
    expect(await signIn(passkey, { made, answering: { challenge: longer } })).toBe('FACTOR_WRONG')
    expect(await signIn(passkey, { made, used: made })).toBe('accepted')
  })

  test('a passkey of another site, of another account and one that was removed', async () => {
    const other = siteOf(await t.site())
    const { passkey: foreign } = await enrolled({ of: other })
    expect(await signIn(foreign)).toBe('PASSKEY_UNKNOWN')
    const { userId, passkey } = await enrolled()
    const { userId: stranger } = await enrolled()
    expect(await signIn(passkey, { userId: stranger })).toBe('PASSKEY_UNKNOWN')
    expect(await signIn(passkey, { userId, answering: { userHandle: null } })).toBe('accepted')
    const right = await prove(passkey)
    expect(await deletePasskey(t.deps.db, by, site.id, userId, right.id)).toBe(true)
    expect(await codeOf(spend(right))).toBe('FACTOR_WRONG')
    expect(await signIn(passkey)).toBe('PASSKEY_UNKNOWN')
  })

  test('a copy of the credential under another site: the origin and the host are those of the site', async () => {
    const other = siteOf(await t.site())
    const { passkey } = await enrolled({ of: other })
    const verified = await attest(passkey, randomUUID(), { origin: other.origin, rpId: rpIdOf(other) })
    expect(verified).toBeUndefined()
  })
})

test('D140 a failure is recorded for the owner of the passkey', async () => {
  const { userId, passkey } = await enrolled()
  await signIn(passkey, { answering: { userVerified: false } })
  const { rows } = await t.deps.pool.query('SELECT event FROM security_log WHERE user_id = $1', [userId])
  expect(rows).toEqual([{ event: 'factor.failed' }])
})

describe('D141 a new passkey', () => {
  test('is verified by origin, host, user verification and challenge', async () => {
    const passkey = softwarePasskey(site.origin)
    const userId = randomUUID()
    expect(await attest(passkey, userId)).toMatchObject({
      passkey: { rpId: rpIdOf(site), credentialId: Buffer.from(passkey.id, 'base64url'), counter: 0, synced: false },
    })
    for (const answering of [
      { userVerified: false },
      { origin: 'https://elsewhere.example.com' },
      { rpId: 'elsewhere.example.com' },
      { crossOrigin: true },
      { challenge: randomBytes(54).toString('base64url') },
    ])
      expect(await attest(passkey, userId, answering), JSON.stringify(answering)).toBeUndefined()
  })

  test('with certificates is refused', async () => {
    const passkey = softwarePasskey(site.origin)
    const attestations = [
      { format: 'packed', statement: { alg: -7, sig: Buffer.alloc(70), x5c: [Buffer.alloc(300)] } },
      { format: 'tpm', statement: { x5c: [Buffer.alloc(300)] } },
      { format: 'none', statement: { x5c: [Buffer.alloc(300)] } },
    ]
    for (const answering of attestations) expect(await attest(passkey, randomUUID(), answering)).toBeUndefined()
  })

  test('an account has 20 at most, and a credential counts once in a site', async () => {
    const userId = (await createUser(
      t.deps,
      site.id,
      { username: `u${randomBytes(6).toString('hex')}` },
      'test',
    )) as UserId
    const verified = await attest(softwarePasskey(site.origin), userId)
    if (!verified) throw new Error('the passkey was refused')
    const insert = (credentialId: Buffer) =>
      insertPasskey(t.deps.db, by, site.id, userId, { ...verified.passkey, credentialId, name: 'a' })
    for (const made of times(19, () => insert(randomBytes(32)))) expect(await made).toHaveProperty('id')
    const last = randomBytes(32)
    expect(await insert(last)).toHaveProperty('id')
    expect(await insert(randomBytes(32))).toBe('full')
    await t.deps.pool.query('DELETE FROM passkey WHERE user_id = $1 AND credential_id <> $2', [userId, last])
    expect(await insert(last)).toBe('taken')
  })
})
