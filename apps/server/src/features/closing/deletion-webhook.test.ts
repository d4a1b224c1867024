import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { bindAuthorization, createAuthorization, exchangeTicket } from '@hufu/contract/authorize'
import { closeAccount } from '@hufu/contract/personal-data'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Member, member } from '../../../test/account-user.ts'
import { eraseAccounts, passClosing } from '../../../test/closing.ts'
import { checked } from '../../../test/operator.ts'
import { startTestApp, type TestApp, type TestSite } from '../../../test/test-app.ts'
import type { UserId } from '../../platform/ids.ts'
import { pairwiseSalt } from '../oidc/keys.ts'
import { clientSubject, subjectOf } from '../oidc/subject.ts'
import { readConfig, saveConfig } from '../site/site.service.ts'
import { deletionWebhookJob } from './deletion-webhook.ts'

interface Received {
  path: string
  headers: IncomingMessage['headers']
  body: string
}

/** A client's server: records what it receives and answers as set. */
let receiver: Server
let received: Received[] = []
let answers: number[] = []
let origin: string
let t: TestApp
let site: TestSite
const secret = 'shop-secret-2026'

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    received.push({ path: request.url ?? '', headers: request.headers, body: await text(request) })
    response.writeHead(answers.shift() ?? 204).end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  t = await startTestApp()
  site = await t.codeSite({
    clients: [
      { id: 'shop', name: '海风书店', secret, sources: [origin], deletionUrl: `${origin}/hufu?from=centre` },
      { id: 'quiet', name: '不需通知', secret, sources: ['https://quiet.example.com'] },
      { id: 'other', name: '没有来过', secret, sources: ['https://o.example'], deletionUrl: 'https://o.example/hufu' },
    ],
  })
})
beforeEach(() => {
  received = []
  answers = []
})
afterAll(async () => {
  await t.close()
  receiver.close()
})

async function signInTo(user: Member, client: string, source: string): Promise<void> {
  const { data: id = '' } = await user.call(createAuthorization, { source })
  const { data: back = '' } = await user.call(bindAuthorization, { id })
  const ticket = new URL(back).searchParams.get('authorize') ?? ''
  const answer = await t.call(site, exchangeTicket, { client, secret, ticket })
  if (!answer.data) throw new Error(`not exchanged: ${answer.code}`)
}

async function eraseOneWhoSignedIn(): Promise<Member> {
  const user = await member(t, site)
  await checked(t, user)
  await signInTo(user, 'shop', `${origin}/callback`)
  await signInTo(user, 'shop', `${origin}/callback`)
  await signInTo(user, 'quiet', 'https://quiet.example.com/callback')
  await user.call(closeAccount)
  await passClosing(t, user.id, '7 days 1 minute')
  await eraseAccounts(t)
  return user
}

interface Queued {
  data: { siteId: string; clientId: string; userId: string; id: string; time: number }
}

async function takeJobs(): Promise<Queued[]> {
  const taken = `DELETE FROM pgboss.job WHERE name = 'client-told' AND data->>'siteId' = $1
    RETURNING data, retry_limit, retry_backoff`
  return (await t.deps.pool.query(taken, [site.id])).rows
}

/** On a developer's machine, where http and its own addresses are fine. */
const tell = (data: unknown, insecureHttp = true) =>
  deletionWebhookJob({ ...t.deps, config: { ...t.deps.config, insecureHttp } }, clientSubject).run(data)

test('a client that knew the user is notified once, under a signature that it can check', async () => {
  const user = await eraseOneWhoSignedIn()
  const jobs = await takeJobs()
  expect(jobs).toMatchObject([{ data: { clientId: 'shop', userId: user.id }, retry_limit: 5, retry_backoff: true }])
  await tell(jobs[0]?.data)
  const [one] = received
  expect(received).toHaveLength(1)
  expect(one?.path).toBe('/hufu?from=centre')
  const { id, time } = jobs[0]?.data ?? { id: '', time: 0 }
  expect(JSON.parse(one?.body ?? '')).toEqual({ event: 'account.deleted', id: user.id, time })
  expect(Math.abs(time - Date.now())).toBeLessThan(60_000)
  expect(one?.headers).toMatchObject({ 'hufu-client': 'shop', 'hufu-delivery': id, 'content-type': 'application/json' })
  const [, seconds = '', sent = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(one?.headers['hufu-signature'])) ?? []
  expect(Math.abs(Number(seconds) * 1000 - Date.now())).toBeLessThan(60_000)
  expect(createHmac('sha256', secret).update(`${seconds}.${one?.body}`).digest('hex')).toBe(sent)
})

test('D232 a third-party client of OpenID Connect is notified under its own id of the user', async () => {
  const client = { name: '书店', secret, kind: 'web' as const, deletionUrl: `${origin}/hufu` }
  const own = await t.codeSite({
    clients: [
      { ...client, id: 'third', returns: [`${origin}/third`] },
      { ...client, id: 'first', returns: [`${origin}/first`], firstParty: true },
    ],
  })
  const userId = randomUUID() as UserId
  const gone = { siteId: own.id, userId, id: randomUUID(), time: 0 }
  for (const clientId of ['third', 'first']) await tell({ ...gone, clientId })
  const subject = subjectOf(await pairwiseSalt(t.deps, own.id), { id: 'third' }, userId)
  expect(received.map(({ body }) => JSON.parse(body).id)).toEqual([subject, userId])
})

test('until it answers it is notified again under the same id; a definite no is the end of it', async () => {
  await eraseOneWhoSignedIn()
  const [job] = await takeJobs()
  answers = [503, 429, 200]
  await expect(tell(job?.data)).rejects.toThrow('delivery of the webhook is not confirmed')
  await expect(tell(job?.data)).rejects.toThrow('delivery of the webhook is not confirmed')
  await tell(job?.data)
  expect(new Set(received.map(({ headers }) => headers['hufu-delivery']))).toEqual(new Set([job?.data.id]))
  for (const status of [301, 401, 404, 410]) {
    answers = [status]
    await tell(job?.data)
    expect(t.log.some((line) => line.includes(`HTTP_${status}`))).toBe(true)
  }
})

test('in production nothing is sent to its own network', async () => {
  const gone = { siteId: site.id, clientId: 'shop', userId: randomUUID(), id: randomUUID(), time: 0 }
  await tell(gone, false)
  expect(received).toEqual([])
})

test('a client that is gone, or has no address or secret any more, is not notified', async () => {
  const own = await t.codeSite({
    clients: [{ id: 'bare', name: '无密钥', sources: [origin], deletionUrl: `${origin}/hufu` }],
  })
  const gone = { siteId: own.id, userId: randomUUID(), id: randomUUID(), time: 0 }
  for (const clientId of ['bare', 'unknown']) await tell({ ...gone, clientId })
  await tell({ ...gone, siteId: site.id, clientId: 'quiet' })
  expect(received).toEqual([])
})

test.each([
  ['https://elsewhere.example/hufu', '须与该应用自己的返回地址（returns）同源'],
  ['http://shop.example.com/hufu', '须以 https:// 开头，本机地址除外'],
  ['ftp://shop.example.com/hufu', '须为以 http:// 或 https:// 开头的网址'],
])('%s is no address to notify a client at', async (deletionUrl, reason) => {
  const at = await t.site()
  const { version } = await readConfig(t.deps, at.id)
  const sources = ['https://shop.example.com', 'http://shop.example.com']
  const config = { clients: [{ id: 'shop', name: '书店', secret, sources, deletionUrl }] }
  await expect(saveConfig(t.deps, at.id, { config, basedOn: version }, 'test')).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    details: { field: 'clients.0.deletionUrl', reason },
  })
})
