import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { avatarPath } from '@hufu/contract/avatar-rules'
import { readFeedback, sendFeedback } from '@hufu/contract/feedback'
import { feedbackPicturePath } from '@hufu/contract/feedback-rules'
import { pages } from '@hufu/contract/pages'
import { sitePicturePath } from '@hufu/contract/picture-rules'
import { userInfo } from '@hufu/contract/profile'
import { meta } from '@hufu/contract/site'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { insertBlob } from '../../apps/server/src/platform/blobs.ts'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { makeTemporaryFolder } from '../../tools/run/temporary-folder.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Api, startApi } from '../harness/environment.ts'
import { few, freshAddress, type Harness, nextUrl, openHarness, type User } from '../harness/harness.ts'
import { type Reply, send, together } from '../harness/http.ts'
import { openStream, type Stream } from '../harness/stream.ts'
import { random } from '../harness/walks.ts'

const calls = few(20_000, 1_200)
const siteCount = 6

interface Home {
  site: TestSite
  user: User
  /** The time under which the user's picture is kept for good. */
  time: number
  logo: string
  conversation: string
  /** One that stands in the conversation. */
  shown: string
}

let web: string
let apis: Api[]
let t: Harness
let homes: Home[]
beforeAll(async () => {
  web = makeTemporaryFolder('web')
  copyFileSync(join(import.meta.dirname, '../../apps/web/index.html'), join(web, 'index.html'))
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

/** Stands in everything that a site shows, so that a foreign response is recognised. */
const mark = (index: number) => `mark-${index}-`

async function settle(site: TestSite, index: number): Promise<Home> {
  const { id } = await t.user(site, { nickname: `${mark(index)}人`, password: undefined })
  const avatar = { ownerId: id, kind: 'avatar' as const, type: 'image/webp', bytes: Buffer.from(mark(index)) }
  const { id: blob } = await insertBlob(t.deps.db, site.id, avatar)
  // All pictures of the same moment: their addresses and marks differ by nothing but the user and the site.
  const time = 1_790_000_000_000
  await t.deps.pool.query('UPDATE blob SET created_at = to_timestamp($2 / 1000.0) WHERE id = $1', [blob, time])
  await t.deps.pool.query('UPDATE users SET avatar_id = $2 WHERE id = $1', [id, blob])
  const logo = { ownerId: null, kind: 'site-picture' as const, type: 'image/webp', bytes: Buffer.from(mark(index)) }
  const user = await t.session(site, id)
  return { site, user, time, logo: (await insertBlob(t.deps.db, site.id, logo)).id, ...(await talk(user, index)) }
}

/** A conversation with a picture, whose bytes are the site's mark like those of the others. */
async function talk(user: User, index: number): Promise<Pick<Home, 'conversation' | 'shown'>> {
  const { data } = await user.call(sendFeedback, { message: `${mark(index)}问题` })
  if (!data) throw new Error('no conversation')
  const { rows } = await t.deps.pool.query(
    `INSERT INTO feedback_picture (site_id, id, author_id, feedback_id, width, height, bytes)
      SELECT site_id, gen_random_uuid(), user_id, id, 1, 1, $2 FROM feedback WHERE id = $1 RETURNING id`,
    [data.id, Buffer.from(mark(index))],
  )
  return { conversation: data.id, shown: rows[0].id }
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

/** Malformed hosts that belong to no site, whatever they begin or end with. */
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

const cookiesOf = ({ user }: Home) => [...user.cookies].map(([name, value]) => `${name}=${value}`).join('; ')

interface Asked {
  path: string
  method: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
}

/** Every page of the product, with something in the place of its parameters. */
const pagePaths = Object.values(pages).map((page) => page.replace(/:\w+/g, 'x'))

const kinds = [
  'meta',
  'page',
  'lost page',
  'file',
  'info',
  'conversation',
  'picture',
  'picture for good',
  'known picture',
  'logo',
  'picture of a conversation',
  'known picture of a conversation',
] as const
type Kind = (typeof kinds)[number]

/** A request to a site, about a user of the same or of another one. */
function askedOf(kind: Kind, { user, time, logo, conversation, shown }: Home, page = 0): Asked {
  const picture = avatarPath(user.id, time)
  const talked = feedbackPicturePath(shown)
  const asked: Record<Kind, Asked> = {
    meta: { method: 'POST', path: meta.path },
    page: { method: 'GET', path: pagePaths[page % pagePaths.length] ?? '/', headers: { 'if-none-match': '*' } },
    'lost page': { method: 'GET', path: '/nothing' },
    file: { method: 'GET', path: '/MP_verify_a.txt' },
    info: { method: 'POST', path: userInfo.path },
    conversation: { method: 'POST', path: readFeedback.path, body: JSON.stringify({ id: conversation }) },
    picture: { method: 'GET', path: picture.replace(/&t=.*/, '') },
    'picture for good': { method: 'GET', path: picture },
    'known picture': { method: 'GET', path: picture, headers: { 'if-none-match': `"${time}"` } },
    logo: { method: 'GET', path: sitePicturePath(logo) },
    'picture of a conversation': { method: 'GET', path: talked },
    'known picture of a conversation': { method: 'GET', path: talked, headers: { 'if-none-match': `"${shown}"` } },
  }
  return asked[kind]
}

/** The expected status, by whether the user belongs to that site. */
function expectedOf(kind: Kind, atHome: boolean): number {
  if (kind === 'lost page') return 404
  if (kind === 'info' || kind.includes('conversation')) {
    if (!atHome) return 401
    return kind.startsWith('known') ? 304 : 200
  }
  if (kind === 'known picture') return atHome ? 304 : 404
  return /picture|logo/.test(kind) && !atHome ? 404 : 200
}

const foreignMark = (body: string, index: number) =>
  [...body.matchAll(/mark-(\d)-/g)].some(([, found]) => Number(found) !== index)

/**
 * Shared caches keep nothing that depends on who asks or which site it is, unless it is asked after again each time. A logo
 * is public and its id is used once.
 */
function keptByCaches(kind: Kind, { headers, status }: Reply): boolean {
  if (kind === 'logo' && status === 200) return false
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
    const { path, method, headers = {}, body = '' } = askedOf(kind, whose, pick(1_000))
    if (whose !== here) abroad++
    const reply = await send(nextUrl(apis.map(({ url }) => url)), {
      path,
      method,
      body,
      headers: {
        host,
        cookie: cookiesOf(whose),
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
        'x-forwarded-for': freshAddress(),
        ...headers,
      },
    })
    const context = `${kind} of ${about} at ${host} (${at}): ${reply.status} ${reply.body.slice(0, 100)}`
    if (reply.status !== expectedOf(kind, whose === here)) wrong.push(`status: ${context}`)
    if (foreignMark(reply.body, at)) wrong.push(`mixed: ${context}`)
    if (reply.status === 200 && !reply.body.includes(mark(at))) wrong.push(`of no site: ${context}`)
    if (keptByCaches(kind, reply)) wrong.push(`kept by caches: ${reply.headers['cache-control']} ${context}`)
    if ([reply.headers['set-cookie']].flat().some((line) => /domain=/i.test(line ?? '')))
      wrong.push(`domain: ${context}`)
  })
  for (const line of wrong.slice(0, 20)) console.log(`A24: ${line}`)
  figure('calls to six sites on two processes', calls, ['>=', few(20_000, 1_200)])
  figure('of them with cookies and ids of another site', abroad, ['>=', calls / 4])
  figure('answers mixed, wrong or kept by caches', wrong.length, ['=', 0])
})

test('A24 a host that only looks like one of ours is no site', async () => {
  let asked = 0
  for (const { url } of apis) {
    for (const host of strangers(homes[0]?.site.host ?? '', homes[1]?.site.host ?? '')) {
      for (const kind of kinds) {
        const { path, method, headers = {}, body = '' } = askedOf(kind, homes[0] as Home)
        const reply = await send(url, {
          path,
          method,
          body,
          headers: { ...headers, host, cookie: cookiesOf(homes[0] as Home) },
        })
        expect([reply.status, /SITE_UNKNOWN|站点不存在/.test(reply.body)], `${host} ${kind}`).toEqual([404, true])
        expect(reply.body, `${host} ${kind}`).not.toContain('mark-')
        asked++
      }
    }
  }
  figure('calls to hosts of no site', asked, ['>=', 300])
})

test('A24 cookies of two sites at once: each site takes its own, and neither the other one', async () => {
  const [one, two] = homes as [Home, Home]
  const both = `${cookiesOf(one)}; ${cookiesOf(two)}`
  for (const { url } of apis) {
    for (const [index, { site }] of [one, two].entries()) {
      for (const cookie of [both, both.split('; ').reverse().join('; ')]) {
        const headers = { host: site.host, cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
        const { status, body } = await send(url, { path: userInfo.path, headers })
        // A browser never sends this: either host may count, but the response must belong to one site.
        expect([200, 401], body).toContain(status)
        expect(foreignMark(body, index), body).toBe(false)
      }
    }
  }
})

test('A24 a stream opens with the own cookies at the own site alone, however it is spelled, and reports nothing else', async () => {
  const opened: { stream: Stream; at: number; whose: number }[] = []
  for (const [at, { site }] of homes.entries())
    for (const [whose, { user }] of homes.entries())
      for (const host of spellings(site.host).slice(0, at === whose ? 4 : 10)) {
        const url = nextUrl(apis.map((api) => api.url))
        opened.push({ stream: await openStream(site, user, url, { host }), at, whose })
      }
  for (const { user, conversation } of homes) await user.call(sendFeedback, { id: conversation, message: '还在吗' })
  const own = opened.filter(({ at, whose }) => at === whose)
  await expect.poll(() => own.every(({ stream }) => stream.received.length > 0)).toBe(true)
  const wrong = opened.filter(({ stream: { status, received }, at, whose }) => {
    if (at !== whose) return status !== 401 || received.length > 0
    return status !== 200 || received.some(({ conversation }) => conversation !== homes[at]?.conversation)
  })
  for (const { stream } of opened) stream.close()
  figure('streams opened with own and foreign cookies', opened.length, ['>=', 300])
  figure('streams that reported another site', wrong.length, ['=', 0])
})
