import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exchangeTicket } from '@hufu/contract/authorize'
import { userInfo } from '@hufu/contract/profile'
import { checkScanRequest } from '@hufu/contract/scan-login'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { shop } from '../harness/authorizing.ts'
import { few, freshAddress, type Harness, openHarness } from '../harness/harness.ts'
import { showCode } from '../harness/scan.ts'
import { byChance, inAnyOrder, type SignTest, signTest } from '../harness/timing.ts'

const samples = few(2_000, 60)
const root = join(import.meta.dirname, '../..')
const secretName = /secret|hash|hmac|token|signature|digest|password|ticket|(?<![a-z])code(?![a-z])|cookie|proof/i
/** Comparisons whose names sound like secrets but are not, with their reason. */
const allowed: { line: string; why: string }[] = [
  { line: 'outcome.code === unreachable', why: 'the name of a refusal' },
  { line: 'hash !== migration.hash', why: 'the hash of a file of ours' },
  { line: 'token.clientId === client.clientId', why: 'the public id of a client' },
  { line: 'ctx.path !== oidcPaths.token', why: 'the path of a route' },
  { line: 'ctx.path === oidcPaths.deviceAuthorization', why: 'another one' },
  { line: 'secret === mask', why: 'the stars that stand for a kept secret' },
  { line: 'code === readOnly', why: 'the name of a refusal of the database' },
  { line: 'code === forbidden', why: 'another one' },
  { line: 'passwordSymbols.includes(character)', why: 'the symbols of which a password must have one' },
  { line: 'wechatErrorName(code)', why: 'the name of a refusal of WeChat' },
  { line: 'numbersMatters.includes(outcome.code)', why: 'the name of a refusal of a gateway' },
  { line: 'notAsked.includes(outcome.code)', why: 'another one' },
  { line: 'password.includes(mobile', why: 'a new password and the number of the user who types it' },
  { line: 'refusals.includes(code)', why: 'the name of a refusal of the database' },
  { line: 'outageClasses.includes(code', why: 'another one' },
  { line: 'outageCodes.includes(code)', why: 'another one' },
  { line: 'passing.includes(code)', why: 'another one' },
]

const operand = String.raw`[\w$.?!()[\]'"\x60-]+`
/** Every comparison that is not constant-time: operators, methods of strings and buffers, functions. */
const comparisons = [
  new RegExp(String.raw`(${operand})\s*(?:===|!==|==|!=)\s*(${operand})`, 'g'),
  new RegExp(
    String.raw`(${operand})\.(?:equals|compare|localeCompare|startsWith|endsWith|includes|indexOf)\(\s*(${operand})`,
    'g',
  ),
  new RegExp(String.raw`\b(?:Object\.is|Buffer\.compare|isDeepStrictEqual)\(\s*(${operand})\s*,\s*(${operand})`, 'g'),
]
const constant = /^(?:['"`\d-]|undefined\b|null\b|true\b|false\b|NaN\b|typeof\b)/
/** Lengths, kinds and numbers of things aren't the things themselves. */
const harmless = /\.(length|size|kind|status|id|version|type)\b/

/** Whether a line compares a secret with something that isn't written down beside it. */
function comparesPlainly(line: string): boolean {
  if (allowed.some((known) => line.includes(known.line))) return false
  const sides = comparisons.flatMap((pattern) => [...line.matchAll(pattern)])
  return sides.some(([, left = '', right = '']) => {
    if (constant.test(left) || constant.test(right)) return false
    return [left, right].some((side) => secretName.test(side) && !harmless.test(side))
  })
}

function plainComparisons(): string[] {
  const files = globSync('{apps/server,packages/contract}/src/**/*.ts', { cwd: root })
  return files
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => (comparesPlainly(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
    )
}

let t: Harness
beforeAll(async () => {
  t = await openHarness()
})
afterAll(() => t.close())

test('A11 no secret is compared by an operator, a method or a function that stops at the first difference', () => {
  const planted = [
    'if (row.secretHash === given) return',
    'return given !== ticket',
    'if (hmac.equals(stored)) return',
    'return stored.compare(signature) === 0',
    'if (token.startsWith(given)) return',
    'if (Buffer.compare(digest, given) === 0) return',
    'const same = Object.is(cookie, given)',
    'if (!isDeepStrictEqual(proof, given)) return',
  ]
  expect(planted.filter((line) => !comparesPlainly(line))).toEqual([])
  const found = plainComparisons()
  console.log(`A11: plain comparisons of secrets${found.map((line) => `\n  ${line}`).join('')}`)
  figure('plain comparisons of secrets in the source', found.length, ['=', 0])
})

/** Asks with a secret that is wrong at its first or at its last character, in turn, at one process. */
async function wrongByTurns(ask: (secret: 'first' | 'last') => Promise<{ ms: number }>): Promise<SignTest> {
  const pairs = []
  for (let sample = 0; sample < samples; sample++) {
    const ms = { first: 0, last: 0 }
    for (const place of inAnyOrder('first' as const, 'last' as const)) ms[place] = (await ask(place)).ms
    pairs.push({ one: ms.first, other: ms.last })
  }
  return signTest(pairs)
}

const urls = () => inject('apiUrls').slice(0, 1)

/** The secret with one character changed. */
function spoiled(secret: string, place: 'first' | 'last'): string {
  const at = place === 'first' ? 0 : secret.length - 2
  return `${secret.slice(0, at)}${secret[at] === 'A' ? 'B' : 'A'}${secret.slice(at + 1)}`
}

type Ask = (place: 'first' | 'last') => Promise<{ ms: number }>

/** Every secret that a server compares again and again: of a session, of a screen that waits, of another site's server. */
const secrets: Record<string, (site: TestSite) => Promise<Ask>> = {
  async session(site) {
    const cookie = (await t.session(site, (await t.user(site)).id)).cookies.get('__Host-hufu') ?? ''
    const [user, number, secret = ''] = cookie.split('.')
    const browser = t.browser(site, { urls: urls() })
    return async (place) => {
      browser.cookies.set('__Host-hufu', `${user}.${number}.${spoiled(secret, place)}`)
      const reply = await browser.call(userInfo)
      expect(reply.code).toBe('NOT_LOGGED_IN')
      return reply
    }
  },
  async screen(site) {
    const { browser, request, cookie } = await showCode(t, site, { urls: urls() })
    const secret = browser.cookies.get(cookie) ?? ''
    return async (place) => {
      browser.cookies.set(cookie, spoiled(secret, place))
      const reply = await browser.call(checkScanRequest, request)
      expect(reply.code).toBe('LOGIN_REQUEST_EXPIRED')
      return reply
    }
  },
  async client(site) {
    const browser = t.browser(site, { urls: urls() })
    return async (place) => {
      const given = { client: shop.id, secret: spoiled(shop.secret, place), ticket: 'x' }
      const reply = await browser.call(exchangeTicket, given, freshAddress())
      expect(reply.code).toBe('CLIENT_REFUSED')
      return reply
    }
  },
}

test.each(Object.entries(secrets))(
  'A11 the time of a refusal does not show how much of a secret was right: %s',
  async (name, prepare) => {
    const [site] = await t.sites(1, () => ({ clients: [shop] }))
    if (!site) throw new Error('no site')
    const ask = await prepare(site)
    const { deviations, summary } = await wrongByTurns(ask)
    console.log(`A11: ${name}: ${summary}`)
    figure(`${name}: sign test of ${samples} pairs wrong at either end, in deviations`, deviations, ['<=', byChance])
  },
)
