import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { few, type Harness, openHarness } from './harness.ts'
import { compare } from './timing.ts'

const samples = few(2_000, 300)
const root = join(import.meta.dirname, '..')
const secretName = /secret|hash|hmac|token|signature|digest|password|ticket|(?<![a-z])code(?![a-z])|cookie|proof/i
/** Comparisons of names that sound secret and are none, with their reason. */
const allowed: { line: string; why: string }[] = [
  { line: 'outcome.code === unreachable', why: 'the name of a refusal' },
  { line: 'hash !== migration.hash', why: 'the hash of a file of ours' },
]

const operand = String.raw`[\w$.?!()[\]'"\x60-]+`
const comparison = new RegExp(String.raw`(${operand})\s*(===|!==|==|!=)\s*(${operand})`, 'g')
const constant = /^(?:['"`\d-]|undefined\b|null\b|true\b|false\b|NaN\b|typeof\b)/
/** Lengths, kinds and numbers of things aren't the things themselves. */
const harmless = /\.(length|size|kind|status|id|version|type)\b/

function plainComparisons(): string[] {
  const files = globSync('{apps/server,packages/contract}/src/**/*.ts', { cwd: root })
  return files
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          [...line.matchAll(comparison)]
            .filter(([, left = '', , right = '']) => {
              if (constant.test(left) || constant.test(right)) return false
              return [left, right].some((side) => secretName.test(side) && !harmless.test(side))
            })
            .filter(() => !allowed.some((known) => line.includes(known.line)))
            .map(() => `${file}:${index + 1}: ${line.trim()}`),
        ),
    )
}

let t: Harness
beforeAll(async () => {
  t = await openHarness()
})
afterAll(() => t.close())

test('A11 no secret is compared by an operator', () => {
  const found = plainComparisons()
  console.log(`A11: ${found.length} plain comparisons of secrets${found.map((line) => `\n  ${line}`).join('')}`)
  expect(found).toEqual([])
})

test('A11 the time of a refusal does not tell how much of a session secret was right', { retry: 2 }, async () => {
  const [site] = await t.sites(1)
  if (!site) throw new Error('no site')
  const { id } = await t.person(site)
  const session = await t.session(site, id)
  const cookie = session.cookies.get('__Host-hufu') ?? ''
  const [user, number, secret = ''] = cookie.split('.')
  const change = (at: number) =>
    `${user}.${number}.${secret.slice(0, at)}${secret[at] === 'A' ? 'B' : 'A'}${secret.slice(at + 1)}`
  const urls = inject('apiUrls').slice(0, 1)
  const ms: Record<'first' | 'last', number[]> = { first: [], last: [] }
  const browser = t.browser(site, { urls })
  for (let sample = 0; sample < samples; sample++) {
    const order = Math.random() < 0.5 ? (['first', 'last'] as const) : (['last', 'first'] as const)
    for (const place of order) {
      browser.cookies.set('__Host-hufu', change(place === 'first' ? 0 : 41))
      const reply = await browser.call(userInfo)
      expect(reply.code).toBe('NOT_LOGGED_IN')
      ms[place].push(reply.ms)
    }
  }
  const { gap, noise, told } = compare(ms.first, ms.last)
  console.log(`A11: ${samples} secrets wrong at their first and at their last character: ${told}`)
  expect(gap).toBeLessThanOrEqual(2 * noise)
})
