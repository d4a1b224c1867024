import { randomBytes } from 'node:crypto'
import {
  addPasskey,
  beginPasskey,
  factorState,
  loginByFactor,
  loginByPasskey,
  passkeyLoginOptions,
  removePasskey,
} from '@hufu/contract/factors'
import { twoFactorPasskeyOptions, verifyTwoFactor } from '@hufu/contract/two-factor'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChallengeUse, newChallenge } from '../../apps/server/src/features/factors/passkey-challenges.ts'
import { sha256 } from '../../apps/server/src/platform/crypto/hash.ts'
import { sessionOf, type TestSite, times } from '../../apps/server/test/test-app.ts'
import {
  type PasskeyAssertion,
  type SoftwarePasskey,
  softwarePasskey,
} from '../../tools/simulators/software-passkey.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Browser, type CallResponse, few, freshAddress, type Harness, openHarness } from '../harness/harness.ts'
import { tally } from '../harness/http.ts'
import { addSoftwarePasskey, type ProtectedAccount, protectedAccount, ticketOf } from './protected-account.ts'

let t: Harness
let site: TestSite
let other: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
  other = await t.codeSite()
})
afterAll(() => t.close())

type Options = Record<string, unknown>

/** A call that a passkey is used in, by one browser. */
interface Use {
  purpose: ChallengeUse['purpose']
  /** Whose challenges count: the browser's mark or the session. */
  holder: () => ChallengeUse['holder']
  options(): Promise<Options>
  send(passkey: PasskeyAssertion): Promise<CallResponse<unknown>>
}

const markOf = ({ cookies }: Browser) => sha256(cookies.get('__Host-hufu-browser') ?? '')

async function optionsFor(browser: Browser): Promise<Options> {
  const { data, body } = await browser.call(passkeyLoginOptions, {}, freshAddress())
  expect(data, body).toBeDefined()
  return data ?? {}
}

const uses: Record<string, (victim: ProtectedAccount) => Promise<Use>> = {
  'sign-in': async () => {
    const browser = t.browser(site)
    return {
      purpose: 'login',
      holder: () => markOf(browser),
      options: () => optionsFor(browser),
      send: (passkey) => browser.call(loginByPasskey, { passkey }, freshAddress()),
    }
  },
  'second step': async (victim) => {
    const browser = t.browser(site)
    const ticket = await ticketOf(browser, victim)
    return {
      purpose: 'login',
      holder: () => markOf(browser),
      options: () => optionsFor(browser),
      send: (passkey) => browser.call(loginByFactor, { ticket, passkey }, freshAddress()),
    }
  },
  'step-up': async ({ id }) => {
    const browser = await t.session(site, id)
    return {
      purpose: 'stepUp',
      holder: () => sessionOf(browser),
      options: async () => (await browser.call(twoFactorPasskeyOptions, {}, freshAddress())).data ?? {},
      send: (passkey) => browser.call(verifyTwoFactor, { passkey }, freshAddress()),
    }
  },
}

interface Attempt {
  victim: ProtectedAccount
  passkey: SoftwarePasskey
  use: Use
  options: Options
  name: string
}

const challengeOf = (siteId: TestSite['id'], purpose: ChallengeUse['purpose'], holder: Use['holder'], age = 0) =>
  newChallenge(t.deps.config.keys, { siteId, purpose, holder: holder() }, Date.now() - age)

/** Spoils one byte. */
function spoilt(text: string): string {
  const bytes = Buffer.from(text, 'base64url')
  const last = bytes.length - 1
  bytes[last] = (bytes[last] ?? 0) ^ 1
  return bytes.toString('base64url')
}

/** Answers that are wrong in one thing each. */
const wrong: Record<string, (attempt: Attempt) => PasskeyAssertion | Promise<PasskeyAssertion>> = {
  'on the page of another site': ({ passkey, options }) => passkey.get(options, { origin: other.origin }),
  'for the host of another site': ({ passkey, options }) => passkey.get(options, { rpId: other.host }),
  'for the parent domain': ({ passkey, options }) =>
    passkey.get(options, { rpId: 'example.com', origin: 'https://example.com' }),
  'in a frame of another site': ({ passkey, options }) => passkey.get(options, { crossOrigin: true }),
  'over http': ({ passkey, options }) => passkey.get(options, { origin: site.origin.replace('https', 'http') }),
  'of an account at another site': async ({ options }) => {
    const there = await protectedAccount(t, other, 'passkey')
    return there.passkey?.get(options, { origin: site.origin, rpId: site.host }) as PasskeyAssertion
  },
  'without user verification': ({ passkey, options }) => passkey.get(options, { userVerified: false }),
  'with the handle of another user': ({ passkey, options }) =>
    passkey.get(options, { userHandle: randomBytes(16).toString('base64url') }),
  'by another key under the same id': ({ passkey: { id }, options, victim }) => {
    const forged = softwarePasskey(site.origin)
    const userHandle = Buffer.from(victim.id.replaceAll('-', ''), 'hex').toString('base64url')
    return { ...forged.get(options, { userHandle }), id, rawId: id }
  },
  'with a spoilt signature': ({ passkey, options }) => {
    const answer = passkey.get(options)
    return { ...answer, response: { ...answer.response, signature: spoilt(answer.response.signature) } }
  },
  'with spoilt data': ({ passkey, options }) => {
    const answer = passkey.get(options)
    const { authenticatorData } = answer.response
    return { ...answer, response: { ...answer.response, authenticatorData: spoilt(authenticatorData) } }
  },
  'to a challenge for another purpose': ({ passkey, options, use }) => {
    const purpose = use.purpose === 'login' ? 'stepUp' : 'login'
    return passkey.get(options, { challenge: challengeOf(site.id, purpose, use.holder) })
  },
  'to a challenge of an enrolment': ({ passkey, options, use }) =>
    passkey.get(options, { challenge: challengeOf(site.id, 'enrol', use.holder) }),
  'to a challenge of another site': ({ passkey, options, use }) =>
    passkey.get(options, { challenge: challengeOf(other.id, use.purpose, use.holder) }),
  'to a challenge of another browser': async ({ passkey, options, victim, name }) => {
    const stranger = await uses[name]?.(victim)
    return passkey.get(options, { challenge: String((await stranger?.options())?.challenge) })
  },
  'to a challenge of six minutes ago': ({ passkey, options, use }) =>
    passkey.get(options, { challenge: challengeOf(site.id, use.purpose, use.holder, 6 * 60_000) }),
  'to a challenge with a later expiry': ({ passkey, options, use }) => {
    const bytes = Buffer.from(challengeOf(site.id, use.purpose, use.holder, 6 * 60_000), 'base64url')
    bytes.writeUIntBE(Date.now() + 60_000, 16, 6)
    return passkey.get(options, { challenge: bytes.toString('base64url') })
  },
  'to a made-up challenge': ({ passkey, options }) =>
    passkey.get(options, { challenge: randomBytes(54).toString('base64url') }),
}

const refusals = ['FACTOR_WRONG', 'PASSKEY_UNKNOWN']

const spentAt = async () => {
  const { rows } = await t.deps.pool.query('SELECT count(*)::int AS spent FROM spent_challenge WHERE site_id = $1', [
    site.id,
  ])
  return rows[0].spent
}

test.each(Object.keys(uses))('A55 %s by passkey: an answer that is wrong in one thing is refused', async (name) => {
  const victim = await protectedAccount(t, site, 'passkey')
  const passkey = victim.passkey as SoftwarePasskey
  const use = (await uses[name]?.(victim)) as Use
  const before = await spentAt()
  const passed: string[] = []
  for (const [way, answer] of Object.entries(wrong)) {
    const options = await use.options()
    const { code, status } = await use.send(await answer({ victim, passkey, use, options, name }))
    if (status === 200 || !refusals.includes(String(code))) passed.push(`${way}: ${status} ${code}`)
  }
  expect(passed).toEqual([])
  figure(`${name}: of ${Object.keys(wrong).length} wrong answers that count`, passed.length, ['=', 0])
  figure(`${name}: challenges stored for wrong answers`, (await spentAt()) - before, ['=', 0])
  const right = await use.send(passkey.get(await use.options()))
  expect(right.status, `the right one: ${right.body}`).toBe(200)
})

test.each(Object.keys(uses))('A55 %s by passkey: of 50 replays at once one counts', async (name) => {
  const victim = await protectedAccount(t, site, 'passkey')
  const passkey = victim.passkey as SoftwarePasskey
  const rounds = few(10, 1)
  let most = 0
  for (let round = 0; round < rounds; round++) {
    const use = (await uses[name]?.(victim)) as Use
    const answer = passkey.get(await use.options())
    const answers = await Promise.all(times(50, () => use.send(answer)))
    most = Math.max(most, answers.filter(({ status }) => status === 200).length)
    expect(tally(answers.map(({ status }) => status))[200]).toBe(1)
    expect((await use.send(answer)).status).not.toBe(200)
  }
  figure(`${name}: of 50 replays at once that count`, most, ['=', 1])
})

test('A55 an authenticator whose counter doesn’t rise is a copy', async () => {
  const victim = await protectedAccount(t, site, 'totp')
  const { passkey } = await addSoftwarePasskey(victim.browser, site, { counter: 5 })
  const send = async (counter?: number) => {
    const use = (await uses['sign-in']?.(victim)) as Use
    return await use.send(passkey.get(await use.options(), counter === undefined ? {} : { counter }))
  }
  expect((await send()).status).toBe(200)
  const refused: number[] = []
  for (const counter of [passkey.counter, passkey.counter - 1, 5, 1, 0])
    if ((await send(counter)).code === 'FACTOR_WRONG') refused.push(counter)
  figure('counters that were not above the last and count', 5 - refused.length, ['=', 0])
  expect((await send()).status).toBe(200)
})

test('A55 a removed passkey proves nothing, also with an answer from before', async () => {
  const victim = await protectedAccount(t, site, 'both')
  const passkey = victim.passkey as SoftwarePasskey
  const prepared = await Promise.all(
    Object.values(uses).map(async (make) => {
      const use = await make(victim)
      return { use, answer: passkey.get(await use.options()) }
    }),
  )
  const { data } = await victim.browser.call(factorState)
  const removed = await victim.browser.call(removePasskey, { id: data?.passkeys[0]?.id ?? '' })
  expect(removed.status, removed.body).toBe(200)
  const codes = await Promise.all(prepared.map(async ({ use, answer }) => (await use.send(answer)).code))
  expect(codes).toEqual(['PASSKEY_UNKNOWN', 'PASSKEY_UNKNOWN', 'PASSKEY_UNKNOWN'])
  figure('uses of a removed passkey', codes.filter((code) => code !== 'PASSKEY_UNKNOWN').length, ['=', 0])
})

test('A55 a passkey is added by its own answer alone, in the session that asked', async () => {
  const [victim, thief] = [await protectedAccount(t, site, 'passkey'), await protectedAccount(t, site, 'passkey')]
  const begin = async ({ browser }: ProtectedAccount) =>
    (await browser.call(beginPasskey, {}, freshAddress())).data ?? {}
  const made = () => softwarePasskey(site.origin)
  const attempts: Record<string, () => Promise<ReturnType<SoftwarePasskey['create']>>> = {
    'without user verification': async () => made().create(await begin(victim), { userVerified: false }),
    'on the page of another site': async () => made().create(await begin(victim), { origin: other.origin }),
    'for another host': async () => made().create({ ...(await begin(victim)), rp: { id: other.host } }),
    'to the challenge of another user': async () => made().create(await begin(thief)),
    'to a challenge of the sign-in': async () => {
      const { challenge } = await optionsFor(victim.browser)
      return made().create(await begin(victim), { challenge: String(challenge) })
    },
    'in a frame': async () => made().create(await begin(victim), { crossOrigin: true }),
  }
  const passed: string[] = []
  for (const [name, answer] of Object.entries(attempts)) {
    const { status, code } = await victim.browser.call(addPasskey, { passkey: await answer() }, freshAddress())
    if (code !== 'FACTOR_WRONG') passed.push(`${name}: ${status} ${code}`)
  }
  expect(passed).toEqual([])
  figure('wrong answers that add a passkey', passed.length, ['=', 0])
  const own = made().create(await begin(victim))
  expect((await victim.browser.call(addPasskey, { passkey: own }, freshAddress())).status).toBe(200)
  expect((await victim.browser.call(addPasskey, { passkey: own }, freshAddress())).code).not.toBe(undefined)
})

test('A55 asking for challenges stores nothing', async () => {
  const before = await spentAt()
  const asked = few(2_000, 200)
  await Promise.all(times(asked, () => t.browser(site).call(passkeyLoginOptions, {}, freshAddress())))
  figure(`rows stored for ${asked} challenges`, (await spentAt()) - before, ['=', 0])
})
