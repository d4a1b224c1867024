import { createPublicKey, randomUUID, verify } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { logout } from '@hufu/contract/login'
import { closeAccount } from '@hufu/contract/personal-data'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { member } from '../../../test/account-user.ts'
import { eraseAccounts, passClosing } from '../../../test/closing.ts'
import { rowsOfGrant, signInToClient } from '../../../test/oidc-rows.ts'
import { checked } from '../../../test/operator.ts'
import { startTestApp, type TestApp, type TestSite } from '../../../test/test-app.ts'
import { createBreaker } from '../../integrations/breaker.ts'
import type { UserId } from '../../platform/ids.ts'
import type { LogoutNotice } from '../../shared/oidc/ends.store.ts'
import { backchannelLogoutJob } from './backchannel-logout.ts'
import { pairwiseSalt, signingKeys } from './keys.ts'
import { subjectOf } from './subject.ts'

interface Received {
  path: string
  headers: IncomingMessage['headers']
  body: string
}

/** A client's server: records what it receives and answers as set. */
let receiver: Server
let received: Received[] = []
let answers: number[] = []
let t: TestApp
let site: TestSite
let origin: string

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    received.push({ path: request.url ?? '', headers: request.headers, body: await text(request) })
    response.writeHead(answers.shift() ?? 200, { location: '/elsewhere' }).end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  t = await startTestApp()
  const of = (id: string) => ({ id, name: id, kind: 'web' as const, returns: [`${origin}/${id}`] })
  site = await t.codeSite({
    clients: [
      { ...of('shop'), backchannelUrl: `${origin}/shop/out` },
      { ...of('own'), firstParty: true, backchannelUrl: `${origin}/own/out` },
      of('quiet'),
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

/** As on a developer's machine, where http and its own addresses are fine; each with a circuit breaker of its own. */
const notify = (data: unknown, { insecureHttp = true, breaker = createBreaker() } = {}) =>
  backchannelLogoutJob({ ...t.deps, breaker, config: { ...t.deps.config, insecureHttp } }).run(data)

const noticeOf = (clientId: string, siteId = site.id): LogoutNotice => ({
  siteId,
  clientId,
  userId: randomUUID() as UserId,
  sid: randomUUID(),
  id: randomUUID(),
})

async function takeJobs(
  userId: string,
): Promise<{ data: LogoutNotice; retry_limit: number; retry_backoff: boolean }[]> {
  const taken = `DELETE FROM pgboss.job WHERE name = 'oidc-logout' AND data->>'userId' = $1
    RETURNING data, retry_limit, retry_backoff`
  return (await t.deps.pool.query(taken, [userId])).rows
}

const tokenOf = (body = '') => new URLSearchParams(body).get('logout_token') ?? ''
const partsOf = (token: string) =>
  token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(`${Buffer.from(part, 'base64url')}`))

async function isSigned(token: string): Promise<boolean> {
  const [header = '', claims = '', signature = ''] = token.split('.')
  const [current] = await signingKeys(t.deps, site.id)
  const key = createPublicKey({ key: { kty: 'RSA', n: current?.n, e: current?.e } as never, format: 'jwk' })
  return verify('sha256', Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url'))
}

test('D229 a sign-out reaches each client of the session as a logout token that it can verify', async () => {
  const user = await member(t, site)
  const logins = [await signInToClient(t, site, user, 'shop'), await signInToClient(t, site, user, 'own')]
  await user.call(logout)
  const jobs = await takeJobs(user.id)
  expect(jobs).toHaveLength(2)
  const subjects = [subjectOf(await pairwiseSalt(t.deps, site.id), { id: 'shop' }, user.id as UserId), user.id]
  for (const [index, { clientId, sid }] of logins.entries()) {
    const job = jobs.find(({ data }) => data.clientId === clientId)
    expect(job).toMatchObject({ retry_limit: 8, retry_backoff: true })
    await notify(job?.data)
    const got = received[index]
    expect(got).toMatchObject({ path: `/${clientId}/out` })
    expect(got?.headers['content-type']).toBe('application/x-www-form-urlencoded')
    const token = tokenOf(got?.body)
    const [header, claims] = partsOf(token)
    expect(header).toEqual({ alg: 'RS256', typ: 'logout+jwt', kid: (await signingKeys(t.deps, site.id))[0]?.kid })
    expect(claims).toEqual({
      iss: site.origin,
      aud: clientId,
      sub: subjects[index],
      sid,
      jti: job?.data.id,
      iat: expect.any(Number),
      exp: claims.iat + 120,
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    })
    expect(Math.abs(claims.iat * 1000 - Date.now())).toBeLessThan(60_000)
    expect(await isSigned(token)).toBe(true)
  }
})

test('D230 it is sent again under the same id until it is answered; a definite no is the end of it', async () => {
  const notice = noticeOf('shop')
  for (const status of [408, 425, 429, 500, 503]) {
    answers = [status]
    await expect(notify(notice)).rejects.toThrow(`not confirmed: HTTP_${status}`)
  }
  answers = [204]
  await notify(notice)
  const ids = received.map(({ body }) => partsOf(tokenOf(body))[1].jti)
  expect(ids).toEqual(ids.map(() => notice.id))
  expect(ids).toHaveLength(6)
  for (const status of [302, 400, 401, 404, 410]) {
    answers = [status]
    const refused = noticeOf('shop')
    await notify(refused)
    const line = t.log.find((each) => each.includes(refused.id) && each.includes(`HTTP_${status}`))
    expect(line).toContain('not confirmed')
    expect(line).not.toContain(refused.userId)
  }
  expect(received.map(({ path }) => path)).not.toContain('/elsewhere')
})

test('D230 a client that keeps failing is not asked for a while, and the job is tried again later', async () => {
  const breaker = createBreaker()
  answers = [500, 500, 500, 500, 500, 500]
  for (let tried = 0; tried < 6; tried++) await expect(notify(noticeOf('shop'), { breaker })).rejects.toThrow()
  expect(received).toHaveLength(5)
})

test('D231 in production nothing is sent to its own network', async () => {
  const notice = noticeOf('shop')
  await notify(notice, { insecureHttp: false })
  expect(received).toEqual([])
  expect(t.log.some((line) => line.includes(notice.id) && /NOT_(HTTPS|PUBLIC)/.test(line))).toBe(true)
})

test('D231 a client that is gone, or names no address, is skipped', async () => {
  for (const clientId of ['quiet', 'unknown']) await notify(noticeOf(clientId))
  await notify(noticeOf('shop', randomUUID() as never))
  expect(received).toEqual([])
})

test('D232 an erasure ends every grant and still notifies the clients', async () => {
  const user = await member(t, site)
  const login = await signInToClient(t, site, user, 'shop', { offline: true })
  await checked(t, user)
  expect((await user.call(closeAccount)).status).toBe(200)
  expect(await rowsOfGrant(t, login)).toBe(3)
  await passClosing(t, user.id, '7 days 1 minute')
  await eraseAccounts(t)
  expect(await rowsOfGrant(t, login)).toBe(0)
  const [job, ...more] = await takeJobs(user.id)
  expect(more).toEqual([])
  await notify(job?.data)
  expect(partsOf(tokenOf(received[0]?.body))[1]).toMatchObject({ aud: 'shop', sid: login.sid })
})
