import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { avatarPath } from '@hufu/contract/avatar-rules'
import { userInfo } from '@hufu/contract/profile'
import { meta } from '@hufu/contract/site'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { insertBlob } from '../apps/server/src/core/blobs.ts'
import type { TestSite } from '../apps/server/test/test-app.ts'
import { type Api, startApi } from './ground.ts'
import { few, freshAddress, type Harness, nextUrl, openHarness, type Person } from './harness.ts'
import { type Reply, send, together } from './http.ts'
import { random } from './walks.ts'

const calls = few(20_000, 3_000)
const siteCount = 6

interface Home {
  site: TestSite
  person: Person
  /** The time under which the person's picture is kept for good. */
  time: number
}

let web: string
let apis: Api[]
let t: Harness
let homes: Home[]
beforeAll(async () => {
  web = mkdtempSync(join(tmpdir(), 'hufu-web-'))
  copyFileSync(join(import.meta.dirname, '../apps/web/index.html'), join(web, 'index.html'))
  const environment = { ...inject('environment'), HUFU_WEB_FOLDER: web }
  apis = [await startApi(environment, inject('logFolder')), await startApi(environment, inject('logFolder'))]
  t = await openHarness(
    environment,
    apis.map(({ url }) => url),
  )
  const sites = await t.sites(siteCount, (index) => ({
    name: mark(index),
    theme: { primary: `#00000${index}` },
    files: { 'MP_verify_a.txt': mark(index) },
  }))
  homes = await together(siteCount, 2, (index) => settle(sites[index] as TestSite, index))
})
afterAll(async () => {
  await t.close()
  await Promise.all(apis.map((api) => api.stop()))
  rmSync(web, { recursive: true, force: true })
})

/** Stands in everything that a site shows, so that a foreign answer is known by sight. */
const mark = (index: number) => `mark-${index}-`

async function settle(site: TestSite, index: number): Promise<Home> {
  const { id } = await t.person(site, { nickname: `${mark(index)}人`, password: undefined })
  const avatar = { ownerId: id, kind: 'avatar' as const, type: 'image/webp', bytes: Buffer.from(mark(index)) }
  const { id: blob } = await insertBlob(t.deps.db, site.id, avatar)
  // All pictures of the same moment: their addresses and marks differ by nothing but the person and the site.
  const time = 1_790_000_000_000
  await t.deps.pool.query('UPDATE blob SET created_at = to_timestamp($2 / 1000.0) WHERE id = $1', [blob, time])
  await t.deps.pool.query('UPDATE users SET avatar_id = $2 WHERE id = $1', [id, blob])
  return { site, person: await t.session(site, id), time }
}

/** Spellings of one host; browsers and proxies send all of them. */
const spellings = (host: string): string[] => [
  host,
  host.toUpperCase(),
  host.replace(/^./, (letter) => letter.toUpperCase()),
  `${host}.`,
  `${host}:443`,
  `${host}:80`,
  `${host}:8443`,
  `${host}:`,
  `${host}.:443`,
  `${host.toUpperCase()}.:8443`,
]

/** Strange ones that belong to nobody, whatever they begin or end with. */
const strangers = (host: string, other: string): string[] => [
  `${host}..`,
  `.${host}`,
  `${host}:443:80`,
  `${host}:x`,
  `${host}@${other}`,
  `${other}#${host}`,
  `${host},${other}`,
  `${host} ${other}`,
  `${host}%2e`,
  `x${host}`,
  `${host}x`,
  `[${host}]`,
  '127.0.0.1',
  'localhost',
]

const cookiesOf = ({ person }: Home) => [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ')

interface Asked {
  path: string
  method: 'GET' | 'POST'
  headers?: Record<string, string>
}

const kinds = ['meta', 'page', 'lost page', 'file', 'info', 'picture', 'picture for good', 'known picture'] as const
type Kind = (typeof kinds)[number]

/** What is asked of a site, about somebody of the same or of another one. */
function askedOf(kind: Kind, { person, time }: Home): Asked {
  const picture = avatarPath(person.id, time)
  const asked: Record<Kind, Asked> = {
    meta: { method: 'POST', path: meta.path },
    page: { method: 'GET', path: '/login', headers: { 'if-none-match': '*' } },
    'lost page': { method: 'GET', path: '/nothing' },
    file: { method: 'GET', path: '/MP_verify_a.txt' },
    info: { method: 'POST', path: userInfo.path },
    picture: { method: 'GET', path: picture.replace(/&t=.*/, '') },
    'picture for good': { method: 'GET', path: picture },
    'known picture': { method: 'GET', path: picture, headers: { 'if-none-match': `"${time}"` } },
  }
  return asked[kind]
}

/** What must come of it, by whether whoever is asked about is at home there. */
function expectedOf(kind: Kind, atHome: boolean): number {
  if (kind === 'info') return atHome ? 200 : 401
  if (kind === 'lost page') return 404
  if (kind === 'known picture') return atHome ? 304 : 404
  return kind.includes('picture') && !atHome ? 404 : 200
}

const foreignMark = (body: string, index: number) =>
  [...body.matchAll(/mark-(\d)-/g)].some(([, found]) => Number(found) !== index)

/** Shared caches keep nothing that depends on who asks or which site it is, unless it is asked after again each time. */
function keptByCaches({ headers, status }: Reply): boolean {
  const cache = headers['cache-control'] ?? ''
  return !/no-store|no-cache/.test(cache) && !(cache.startsWith('private') && [200, 304].includes(status))
}

test('A24 calls of several sites, hosts spelled in every way, cookies and pictures of each other: no answer is mixed', async () => {
  const pick = random(24)
  const wrong: string[] = []
  let abroad = 0
  await together(calls, 32, async () => {
    const [at, about] = [pick(siteCount), pick(2) === 0 ? pick(siteCount) : -1]
    const here = homes[at] as Home
    const whose = about < 0 ? here : (homes[about] as Home)
    const kind = kinds[pick(kinds.length)] as Kind
    const hosts = spellings(here.site.host)
    const host = hosts[pick(hosts.length)] as string
    const { path, method, headers = {} } = askedOf(kind, whose)
    if (whose !== here) abroad++
    const reply = await send(nextUrl(apis.map(({ url }) => url)), {
      path,
      method,
      headers: {
        host,
        cookie: cookiesOf(whose),
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
        'x-forwarded-for': freshAddress(),
        ...headers,
      },
    })
    const told = `${kind} of ${about} at ${host} (${at}): ${reply.status} ${reply.body.slice(0, 100)}`
    if (reply.status !== expectedOf(kind, whose === here)) wrong.push(`status: ${told}`)
    if (foreignMark(reply.body, at)) wrong.push(`mixed: ${told}`)
    if (reply.status === 200 && !reply.body.includes(mark(at))) wrong.push(`nobody's: ${told}`)
    if (keptByCaches(reply)) wrong.push(`kept by caches: ${reply.headers['cache-control']} ${told}`)
    if ([reply.headers['set-cookie']].flat().some((line) => /domain=/i.test(line ?? ''))) wrong.push(`domain: ${told}`)
  })
  console.log(
    `A24: ${calls} calls to ${siteCount} sites on two processes, ${abroad} with cookies and ids of another site: ${wrong.length} mixed${wrong
      .slice(0, 20)
      .map((line) => `\n  ${line}`)
      .join('')}`,
  )
  expect(wrong).toEqual([])
})

test('A24 a host that only looks like one of ours is nobody', async () => {
  let asked = 0
  for (const { url } of apis) {
    for (const host of strangers(homes[0]?.site.host ?? '', homes[1]?.site.host ?? '')) {
      for (const kind of kinds) {
        const { path, method, headers = {} } = askedOf(kind, homes[0] as Home)
        const reply = await send(url, {
          path,
          method,
          headers: { ...headers, host, cookie: cookiesOf(homes[0] as Home) },
        })
        expect([reply.status, /SITE_UNKNOWN|站点不存在/.test(reply.body)], `${host} ${kind}`).toEqual([404, true])
        expect(reply.body, `${host} ${kind}`).not.toContain('mark-')
        asked++
      }
    }
  }
  console.log(`A24: ${asked} calls to hosts that are nobody's, none answered as a site`)
})

test('A24 cookies of two sites at once: each site takes its own, and neither the other one', async () => {
  const [one, two] = homes as [Home, Home]
  const both = `${cookiesOf(one)}; ${cookiesOf(two)}`
  for (const { url } of apis) {
    for (const [index, { site }] of [one, two].entries()) {
      for (const cookie of [both, both.split('; ').reverse().join('; ')]) {
        const headers = { host: site.host, cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
        const { status, body } = await send(url, { path: userInfo.path, headers })
        // A browser never sends this: which of the two counts is open, whose answer it is isn't.
        expect([200, 401], body).toContain(status)
        expect(foreignMark(body, index), body).toBe(false)
      }
    }
  }
})
