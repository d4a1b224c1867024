import { randomInt, randomUUID } from 'node:crypto'
import type { Endpoint } from '@hufu/contract/endpoint'
import { addPicture, sendFeedback } from '@hufu/contract/feedback'
import { addNote, saveReply } from '@hufu/contract/feedback-desk'
import { feedbackPicturePath } from '@hufu/contract/feedback-rules'
import { logout } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { grant } from '../apps/server/src/features/users/users.service.ts'
import type { TestSite } from '../apps/server/test/test-app.ts'
import { type Api, startApi } from './ground.ts'
import { type Browser, codeConfig, few, freshAddress, type Harness, openHarness, type Person } from './harness.ts'
import { together } from './http.ts'
import { allEndpoints, bodyFor } from './samples.ts'
import { openStream, type Stream } from './stream.ts'
import { dataOf, photo, upload } from './uploads.ts'

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

interface Someone extends Person {
  conversation: string
  /** Of pictures: one that stands in the conversation, one that doesn't yet. */
  shown: string
  loose: string
  stream: Stream
}

/** A customer who works for the brand as well, has written to it and listens. */
async function someone(index: number): Promise<Someone> {
  const site = sites[index]
  if (!site) throw new Error('no site')
  const own = {
    nickname: `${mark(index)}人`,
    email: `${mark(index)}${randomInt(1e9)}@example.com`,
    password: undefined,
  }
  const { id } = await t.person(site, own)
  await grant(t.deps, site.id, id, 'MERCHANT', ['READ', 'WRITE'], 'attack')
  const person = await t.session(site, id)
  const handOver = async () => dataOf<{ id: string }>(await upload(site, person, addPicture, await photo())).id
  const [shown, loose] = [await handOver(), await handOver()]
  const { data } = await person.call(sendFeedback, { message: `${mark(index)}问题`, pictures: [shown] })
  if (!data) throw new Error('no conversation')
  await person.call(addNote, { id: data.id, text: `${mark(index)}备注`, key: randomUUID() })
  await person.call(saveReply, { title: `${mark(index)}答`, text: `${mark(index)}回复` })
  return { ...person, conversation: data.id, shown, loose, stream: await openStream(site, person) }
}

/** Lists are asked for whole. */
const isList = ({ path }: Endpoint) => /\/(feedback|user|log)\/query$|\/config\/(open|history)$/.test(path)

/** People and conversations of every site are asked for at every site, and what is written carries the mark of where it is. */
function bodyAt(endpoint: Endpoint, index: number, people: Someone[]): ReturnType<typeof bodyFor> {
  const { body, headers } = bodyFor(endpoint)
  if (endpoint.upload) return { body, headers }
  if (isList(endpoint)) return { body: '{}', headers }
  const said = Object.fromEntries(['message', 'text', 'title', 'words'].map((name) => [name, `${mark(index)}言`]))
  if (endpoint.path === saveReply.path) return { body: JSON.stringify(said), headers }
  if (endpoint.path.startsWith('/api/merchant/user/') && 'id' in JSON.parse(body))
    return { body: JSON.stringify({ ...JSON.parse(body), id: pick(people).id, skip: 0 }), headers }
  if (!endpoint.path.includes('/feedback/')) return { body, headers }
  const { id, key: _, pictures, ...sample } = JSON.parse(body) as Record<string, unknown>
  const whose = randomInt(2) === 0 ? people[index] : pick(people)
  const own = { ...sample, ...(id !== undefined && { id: whose?.conversation }), ...said, key: randomUUID() }
  if (pictures && randomInt(2) === 0) Object.assign(own, { pictures: [pick(people).loose] })
  return { body: JSON.stringify(own), headers }
}

/** Calls that send or hash cost a hundred times the others; a few of them are enough to mix with. */
const isDear = ({ path }: Endpoint) =>
  /login\/(mobile|password|confirm)|verifyCode|logout|twoFactor\/(send|verify)|account\//.test(path)
const cheap = allEndpoints.filter((endpoint) => !isDear(endpoint))
const dear = allEndpoints.filter((endpoint) => isDear(endpoint) && endpoint !== (logout as Endpoint))
const pick = <Value>(list: readonly Value[]) => list[randomInt(list.length)] as Value

test('A23 interleaved calls of fifty sites through one connection never meet a foreign row', async () => {
  const people = await together(siteCount, 8, someone)
  const ids = new Map(people.flatMap(({ id, shown, loose }, index) => [id, shown, loose].map((each) => [each, index])))
  const wrong: string[] = []
  const homes = new Map(people.map(({ conversation }, index) => [conversation, index]))
  const counts = { own: 0, abroad: 0, dear: 0, busy: 0, heard: 0 }
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
    const { body, headers } = bodyAt(endpoint, index, people)
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
  // Everybody looks at the pictures of the next site, here with their own cookies, there with the same.
  for (const [index, person] of people.entries()) {
    const next = (index + 1) % siteCount
    const own = await person.get(feedbackPicturePath(person.shown))
    if (own.status !== 200) note(`the own picture at site ${index}: ${own.status}`)
    for (const picture of [people[next]?.shown ?? '', people[next]?.loose ?? '']) {
      const here = await person.get(feedbackPicturePath(picture))
      const there = await person.get(feedbackPicturePath(picture), { host: sites[next]?.host })
      if (here.code !== 'NOT_FOUND' || there.code !== 'NOT_LOGGED_IN')
        note(`a picture of site ${next} to somebody of ${index}: ${here.status} ${there.status}`)
    }
  }
  for (const [index, { stream }] of people.entries()) {
    counts.heard += stream.heard.length
    for (const { conversation } of stream.heard)
      if (homes.get(conversation) !== index) note(`the stream of site ${index} heard of ${homes.get(conversation)}`)
    stream.close()
  }
  console.log(
    `A23: ${siteCount} sites, ${calls} calls, ${wrong.length} foreign rows; ${JSON.stringify(counts)}${wrong.map((line) => `\n  ${line}`).join('')}`,
  )
  expect(wrong).toEqual([])
  expect(counts.heard).toBeGreaterThan(0)
  expect(counts.busy).toBeLessThan(calls / 100)
})
