import { randomUUID } from 'node:crypto'
import type { Endpoint } from '@hufu/contract/endpoint'
import { addPicture, sendFeedback } from '@hufu/contract/feedback'
import { addNote, saveReply } from '@hufu/contract/feedback-desk'
import { feedbackPicturePath } from '@hufu/contract/feedback-rules'
import { merchantWechatToken } from '@hufu/contract/merchant-wechat'
import { userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { makeOperator } from '../../apps/server/test/enrolled.ts'
import { type TestSite, times } from '../../apps/server/test/test-app.ts'
import { newWechat } from '../../apps/server/test/wechat-phone.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Api, startApi } from '../harness/environment.ts'
import {
  type Browser,
  codeConfig,
  few,
  freshAddress,
  type Harness,
  nextUrl,
  openHarness,
  type User,
} from '../harness/harness.ts'
import { together } from '../harness/http.ts'
import { openStream, type Stream } from '../harness/stream.ts'
import { seeded } from '../harness/walks.ts'
import { allEndpoints, bodyFor } from './samples.ts'
import { dataOf, photo, upload } from './uploads.ts'

const siteCount = 50
const choose = seeded('A23')
const calls = few(100_000, 3_000)

/** Two processes, each with a single connection that all sites share. */
let narrow: Api[]
let t: Harness
let sites: TestSite[]
beforeAll(async () => {
  const one = () => startApi({ ...inject('environment'), HUFU_DATABASE_POOL: '1' }, inject('logFolder'))
  narrow = await Promise.all([one(), one()])
  t = await openHarness(inject('environment'), [...inject('apiUrls'), ...narrow.map(({ url }) => url)])
  const accounts = await Promise.all(times(siteCount, newWechat))
  sites = await t.sites(siteCount, (index) => codeConfig({ name: mark(index), wechat: accounts[index] }))
})
afterAll(async () => {
  await t.close()
  await Promise.all(narrow.map((api) => api.stop()))
})

const reads =
  /\/(query|list|info|state|exports|unread|notes|person|devices|securityLog|statistics|curve|home|history|open|schema|token|loadMenu|loadMessageTemplates)$|(feedback|user|config)\/read$/

/** Stands in everything that belongs to a site, so that a foreign row is recognised. */
const mark = (index: number) => `mark-${index}-`
const foreign = (body: string, index: number) =>
  [...body.matchAll(/mark-(\d+)-/g)].some(([, found]) => Number(found) !== index)

interface SiteMember extends User {
  conversation: string
  /** Of pictures: one that stands in the conversation, one that doesn't yet. */
  shown: string
  loose: string
  stream: Stream
  /** The operator with all permissions on the same site. */
  admin: User
  /** What WeChat gave the brand. */
  token: string
}

/** The same browser, which asks the narrow processes alone from now on. */
function narrowed(site: TestSite, { cookies, id }: User): User {
  const browser = t.browser(site, { urls: narrow.map(({ url }) => url) })
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  return { ...browser, id }
}

/** An operator with all permissions on the site. */
async function boss(site: TestSite, index: number): Promise<Pick<SiteMember, 'admin' | 'token'>> {
  const { id } = await t.user(site, { nickname: `${mark(index)}管`, password: undefined })
  await makeOperator(t.deps, site.id, id, ['READ', 'WRITE', 'ADMIN'], 'attack')
  const admin = await t.session(site, id, { urls: inject('apiUrls') })
  await t.deps.pool.query('UPDATE session SET two_factor_at = now() WHERE user_id = $1', [id])
  const { data } = await admin.call(merchantWechatToken)
  if (!data) throw new Error('no token')
  return { admin: narrowed(site, admin), token: data.access_token }
}

/** A customer who is also an operator of the site, has written feedback and has an open stream. */
async function siteMember(index: number): Promise<SiteMember> {
  const site = sites[index]
  if (!site) throw new Error('no site')
  const own = {
    nickname: `${mark(index)}人`,
    email: `${mark(index)}${randomUUID()}@example.com`,
    password: undefined,
  }
  const { id } = await t.user(site, own)
  await makeOperator(t.deps, site.id, id, ['READ', 'WRITE'], 'attack')
  const user = await t.session(site, id, { urls: inject('apiUrls') })
  const handOver = async () => dataOf<{ id: string }>(await upload(site, user, addPicture, await photo())).id
  const [shown, loose] = [await handOver(), await handOver()]
  const { data, code } = await user.call(sendFeedback, { message: `${mark(index)}问题`, pictures: [shown] })
  if (!data) throw new Error(`no conversation: ${code}`)
  await user.call(addNote, { id: data.id, text: `${mark(index)}备注`, key: randomUUID() })
  await user.call(saveReply, { title: `${mark(index)}答`, text: `${mark(index)}回复` })
  const stream = await openStream(site, user, nextUrl(narrow.map(({ url }) => url)))
  return { ...narrowed(site, user), ...(await boss(site, index)), conversation: data.id, shown, loose, stream }
}

/** Lists are requested without filters. */
const isList = ({ path }: Endpoint) => /\/(feedback|user|log)\/query$|\/config\/(open|history)$/.test(path)
/** What ends sessions or changes who may what is only tried on users of other sites: it must affect no user. */
const isHarsh = ({ path }: Endpoint) =>
  /\/user\/(status|signOut|releaseMobile|cancelRecovery|rights|resetFactors)$|sendMessage$/.test(path)

/** Users and conversations of every site are asked for at every site, and what is written carries the mark of where it is. */
function bodyAt(endpoint: Endpoint, index: number, users: SiteMember[]): ReturnType<typeof bodyFor> {
  const { body, headers } = bodyFor(endpoint)
  if (endpoint.upload) return { body, headers }
  if (isList(endpoint)) return { body: '{}', headers }
  const said = Object.fromEntries(['message', 'text', 'title', 'words'].map((name) => [name, `${mark(index)}言`]))
  if (endpoint.path === saveReply.path) return { body: JSON.stringify(said), headers }
  const sample = JSON.parse(body) as Record<string, unknown>
  if (isHarsh(endpoint)) {
    const { id } = users[(index + 1 + choose(siteCount - 1)) % siteCount] as SiteMember
    return { body: JSON.stringify({ ...sample, ...('id' in sample ? { id } : { userId: id }) }), headers }
  }
  const whose = choose(2) === 0 ? (users[index] as SiteMember) : pick(users)
  if (endpoint.path.startsWith('/api/merchant/user/') && 'id' in sample)
    return { body: JSON.stringify({ ...sample, id: whose.id, skip: 0 }), headers }
  if (!endpoint.path.includes('/feedback/')) return { body, headers }
  const { id, key: _, pictures, ...rest } = sample
  const own = { ...rest, ...(id !== undefined && { id: whose.conversation }), ...said, key: randomUUID() }
  if (pictures && choose(2) === 0) Object.assign(own, { pictures: [pick(users).loose] })
  return { body: JSON.stringify(own), headers }
}

/** Calls that send or hash cost a hundred times the others; a few of them are enough to mix with. */
const isDear = ({ path }: Endpoint) =>
  /login\/(mobile|password|confirm)|verifyCode|recovery\/(open|send)|twoFactor\/(send|verify)|account\//.test(path)
/** These would end the session or the others of the user who calls. */
const ending = ['/api/logout', '/api/user/token/removeAll']
const mixed = allEndpoints.filter(({ path }) => !ending.includes(path))
const cheap = mixed.filter((endpoint) => !isDear(endpoint))
const dear = mixed.filter(isDear)
const pick = <Value>(list: readonly Value[]) => list[choose(list.length)] as Value
/** Calls that return rows of the site: each must have done so at least once. */
const answering = cheap.filter(({ path, access }) => access !== 'public' && reads.test(path))

test(
  'A23 interleaved calls of fifty sites through one connection never return a foreign row',
  async () => {
    const users = await together(siteCount, 4, siteMember)
    const ids = new Map(
      users.flatMap(({ id, shown, loose, token }, index) => [id, shown, loose, token].map((each) => [each, index])),
    )
    const wrong: string[] = []
    const homes = new Map(users.map(({ conversation }, index) => [conversation, index]))
    const counts = { own: 0, abroad: 0, dear: 0, received: 0 }
    const [met, answered] = [new Set<string>(), new Set<string>()]
    const note = (text: string) => void (wrong.length < 20 && wrong.push(text))

    function check(endpoint: Endpoint, index: number, { status, body, data }: Awaited<ReturnType<Browser['post']>>) {
      met.add(endpoint.path)
      if (status === 200) answered.add(endpoint.path)
      if (status >= 500) note(`${endpoint.path}: ${status}`)
      if (foreign(body, index)) note(`${endpoint.path} at site ${index}: ${body.slice(0, 200)}`)
      for (const [id, home] of ids)
        if (home !== index && body.includes(id)) note(`${endpoint.path}: the id of site ${home}`)
      if (endpoint.path === userInfo.path && status === 200 && (data as { id: string }).id !== users[index]?.id)
        note(`${endpoint.path} at site ${index}: another user`)
    }

    async function one() {
      const index = choose(siteCount)
      const abroad = choose(10) === 0
      const endpoint = choose(100) === 0 ? pick(dear) : choose(4) === 0 ? userInfo : pick(cheap)
      const { admin, ...user } = users[index] as SiteMember
      const caller = endpoint.access === 'merchantAdmin' ? admin : user
      const { body, headers } = bodyAt(endpoint, index, users)
      const ask = (by: Browser, own: Record<string, string | undefined>) =>
        // One connection has a short queue: a refused call is sent again.
        by.post(endpoint.path, body, { ...own, 'x-forwarded-for': freshAddress() })
      if (isDear(endpoint)) counts.dear++
      if (!abroad) {
        counts.own++
        return check(endpoint, index, await ask(caller, headers))
      }
      // A user of this site with the cookies of a user of another site.
      counts.abroad++
      const elsewhere = (index + 1 + choose(siteCount - 1)) % siteCount
      const reply = await ask(caller, { ...headers, host: sites[elsewhere]?.host })
      check(endpoint, elsewhere, reply)
      if (endpoint.access !== 'public' && reply.status < 300)
        note(`${endpoint.path}: a cookie of site ${index} opened ${elsewhere}`)
    }
    await together(calls, 8, one)
    // Every user requests the pictures of the next site, on both sites with the same cookies.
    for (const [index, user] of users.entries()) {
      const next = (index + 1) % siteCount
      const look = (picture: string, headers = {}) => user.get(feedbackPicturePath(picture), headers)
      const own = await look(user.shown)
      if (own.status !== 200) note(`the own picture at site ${index}: ${own.status}`)
      for (const picture of [users[next]?.shown ?? '', users[next]?.loose ?? '']) {
        const here = await look(picture)
        const there = await look(picture, { host: sites[next]?.host })
        if (here.code !== 'NOT_FOUND' || there.code !== 'NOT_LOGGED_IN')
          note(`a picture of site ${next} to a user of ${index}: ${here.status} ${there.status}`)
      }
    }
    for (const [index, { stream }] of users.entries()) {
      counts.received += stream.received.length
      for (const { conversation } of stream.received)
        if (homes.get(conversation) !== index)
          note(`the stream of site ${index} received one of ${homes.get(conversation)}`)
      stream.close()
    }
    const unanswered = answering.filter(({ path }) => !answered.has(path)).map(({ path }) => path)
    console.log(
      `A23: ${siteCount} sites, ${calls} calls; ${JSON.stringify(counts)}; reads that returned nothing: ${unanswered.join(' ') || 'none'}${wrong.map((line) => `\n  ${line}`).join('')}`,
    )
    figure('foreign rows', wrong.length, ['=', 0])
    figure('interleaved calls of 50 sites', calls, ['>=', few(100_000, 3_000)])
    figure('calls of the contract met', met.size, ['>=', few(mixed.length, cheap.length)])
    figure('reads that returned nothing', unanswered.length, ['=', 0])
    expect(counts.received).toBeGreaterThan(0)
  },
  few(1_800_000, 240_000),
)
