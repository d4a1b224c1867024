import { randomInt } from 'node:crypto'
import type { Endpoint } from '@hufu/contract/endpoint'
import { logout } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { TestSite } from '../apps/server/test/test-app.ts'
import { type Api, startApi } from './ground.ts'
import { type Browser, codeConfig, few, freshAddress, type Harness, openHarness, type Person } from './harness.ts'
import { together } from './http.ts'
import { allEndpoints, bodyFor } from './samples.ts'

const siteCount = 50
const calls = few(100_000, 3_000)

/** One process of the three has a single connection that all sites share. */
let narrow: Api
let t: Harness
let sites: TestSite[]
beforeAll(async () => {
  narrow = await startApi({ ...inject('environment'), HUFU_DATABASE_POOL: '1' }, inject('logFolder'))
  t = await openHarness(inject('environment'), [...inject('apiUrls'), narrow.url])
  sites = await t.sites(siteCount, (index) => codeConfig({ name: mark(index) }))
})
afterAll(async () => {
  await t.close()
  await narrow.stop()
})

/** Stands in everything that belongs to a site, so that a foreign row is known by sight. */
const mark = (index: number) => `mark-${index}-`
const foreign = (body: string, index: number) =>
  [...body.matchAll(/mark-(\d+)-/g)].some(([, found]) => Number(found) !== index)

async function someone(index: number): Promise<Person> {
  const site = sites[index]
  if (!site) throw new Error('no site')
  const own = {
    nickname: `${mark(index)}人`,
    email: `${mark(index)}${randomInt(1e9)}@example.com`,
    password: undefined,
  }
  const { id } = await t.person(site, own)
  return await t.session(site, id)
}

/** Calls that send or hash cost a hundred times the others; a few of them are enough to mix with. */
const isDear = ({ path }: Endpoint) =>
  /login\/(mobile|password|confirm)|verifyCode|logout|twoFactor\/(send|verify)|account\//.test(path)
const cheap = allEndpoints.filter((endpoint) => !isDear(endpoint))
const dear = allEndpoints.filter((endpoint) => isDear(endpoint) && endpoint !== (logout as Endpoint))
const pick = <Value>(list: readonly Value[]) => list[randomInt(list.length)] as Value

test('A23 interleaved calls of fifty sites through one connection never meet a foreign row', async () => {
  const people = await together(siteCount, 8, someone)
  const ids = new Map(people.map(({ id }, index) => [id as string, index]))
  const wrong: string[] = []
  const counts = { own: 0, abroad: 0, dear: 0, busy: 0 }
  const note = (text: string) => void (wrong.length < 20 && wrong.push(text))

  function check(endpoint: Endpoint, index: number, { status, body, data }: Awaited<ReturnType<Browser['post']>>) {
    if (status === 503) counts.busy++
    else if (status >= 500) note(`${endpoint.path}: ${status}`)
    if (foreign(body, index)) note(`${endpoint.path} at site ${index}: ${body.slice(0, 200)}`)
    for (const [id, home] of ids)
      if (home !== index && body.includes(id)) note(`${endpoint.path}: the id of site ${home}`)
    if (endpoint.path === userInfo.path && status === 200 && (data as { id: string }).id !== people[index]?.id)
      note(`${endpoint.path} at site ${index}: somebody else`)
  }

  async function one() {
    const index = randomInt(siteCount)
    const abroad = randomInt(10) === 0
    const endpoint = randomInt(100) === 0 ? pick(dear) : randomInt(2) === 0 ? userInfo : pick(cheap)
    const caller = people[index] as Person
    const { body, headers } = bodyFor(endpoint)
    if (isDear(endpoint)) counts.dear++
    if (!abroad) {
      counts.own++
      return check(
        endpoint,
        index,
        await caller.post(endpoint.path, body, { ...headers, 'x-forwarded-for': freshAddress() }),
      )
    }
    // Somebody of this site with the cookies of theirs at another.
    counts.abroad++
    const elsewhere = (index + 1 + randomInt(siteCount - 1)) % siteCount
    const reply = await caller.post(endpoint.path, body, {
      host: sites[elsewhere]?.host,
      'x-forwarded-for': freshAddress(),
    })
    check(endpoint, elsewhere, reply)
    if (endpoint.access !== 'public' && reply.status < 300)
      note(`${endpoint.path}: a cookie of site ${index} opened ${elsewhere}`)
  }
  await together(calls, 24, one)
  console.log(
    `A23: ${siteCount} sites, ${calls} calls, ${wrong.length} foreign rows; ${JSON.stringify(counts)}${wrong.map((line) => `\n  ${line}`).join('')}`,
  )
  expect(wrong).toEqual([])
  expect(counts.busy).toBeLessThan(calls / 100)
})
