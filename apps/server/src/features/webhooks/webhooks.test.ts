import { randomUUID } from 'node:crypto'
import type { SiteConfig } from '@hufu/contract/site'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { member } from '../../../test/account-user.ts'
import { workQueue } from '../../../test/closing.ts'
import { makeOperator } from '../../../test/enrolled.ts'
import { messagesTo, startTestApp, type TestApp, type TestSite, testKeys, times } from '../../../test/test-app.ts'
import { type Receiver, startReceiver } from '../../../test/webhook-receiver.ts'
import { webhookSecret } from '../../../test/webhook-secret.ts'
import { happen, passDeliveries, passHolds, type WebhookConfig, workLanes } from '../../../test/webhooks.ts'
import type { UserId } from '../../platform/ids.ts'
import { numberAll } from '../events/number-events.ts'
import { eraseUser } from '../personal-data/erase-user.ts'
import { readConfig, rotateKeys, saveConfig } from '../site/site.service.ts'
import { finishWebhookRotation, rotateWebhook } from '../site/webhooks.service.ts'
import { holdEndpoints } from './endpoints.store.ts'
import { runLane } from './lanes.ts'
import { listWebhooks, resumeWebhook } from './webhooks.service.ts'

const receivers: Receiver[] = []
let t: TestApp
beforeAll(async () => {
  t = await startTestApp({ HUFU_INSECURE_HTTP: '1', HUFU_KEYS: testKeys() })
})
afterAll(() => t.close())
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close()
})

async function newReceiver(): Promise<Receiver> {
  const receiver = await startReceiver()
  receivers.push(receiver)
  return receiver
}

interface Wired {
  site: TestSite
  receiver: Receiver
  secret: string
}

async function wired(config: Partial<WebhookConfig> = {}, rest: SiteConfig = {}): Promise<Wired> {
  const [receiver, secret] = [await newReceiver(), webhookSecret()]
  const site = await t.codeSite({ ...rest, webhooks: [{ id: 'erp', url: receiver.url, secret, ...config }] })
  return { site, receiver, secret }
}

const work = () => workLanes(t.deps)
const stateOf = async (site: TestSite, id = 'erp') =>
  (await listWebhooks(t.deps, site.id, (await readConfig(t.deps, site.id)).config)).find((webhook) => webhook.id === id)

async function change(site: TestSite, webhooks: WebhookConfig[]): Promise<void> {
  const { version, config } = await readConfig(t.deps, site.id)
  await saveConfig(t.deps, site.id, { config: { ...config, webhooks }, basedOn: version }, 'test')
  await t.deps.sites.refresh()
}

describe('deliveries', () => {
  test('D410 an event reaches the endpoint once, with a signature that Standard Webhooks verifies', async () => {
    const { site, receiver, secret } = await wired()
    const user = randomUUID()
    await happen(t.deps, site, user, 'nickname')
    await work()
    await work()
    expect(receiver.received).toHaveLength(1)
    const [{ headers, body } = {} as never] = receiver.received
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual({
      type: 'user.updated',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      data: { id: user, changed: ['nickname'] },
    })
    expect(() => new Webhook(webhookSecret()).verify(body, headers as Record<string, string>)).toThrow()
  })

  test('D411 an endpoint gets the types that it wants, from its creation on, and nothing of other sites', async () => {
    const { site, receiver } = await wired({ types: ['user.deleted', 'user.created'] })
    const other = await t.codeSite()
    await happen(t.deps, site, randomUUID(), 'nickname')
    const [mine, theirs] = [await member(t, site), await member(t, other)]
    await work()
    expect(receiver.received.map(({ type, data }) => [type, data.id])).toEqual([['user.created', mine.id]])
    expect(theirs.id).not.toBe(mine.id)
    const late = await newReceiver()
    await change(site, [
      { id: 'erp', url: receiver.url, secret: '********' },
      { id: 'late', url: late.url, secret: webhookSecret() },
    ])
    await work()
    expect(late.received.map(({ type }) => type)).toEqual(['config.changed'])
  })

  test('D412 one that fails is tried again under the same id, after 5 s × 4ⁿ with jitter and 12 hours at most', async () => {
    const { site, receiver } = await wired()
    receiver.answer = (_delivery, count) => (count < 10 ? 500 : 200)
    await happen(t.deps, site, randomUUID(), 'nickname')
    const waits: number[] = []
    for (let tried = 1; tried < 10; tried++) {
      await work()
      expect(receiver.received).toHaveLength(tried)
      const { rows } = await t.deps.pool.query(
        'SELECT extract(epoch FROM due_at - last_at)::float8 AS wait FROM delivery WHERE site_id = $1',
        [site.id],
      )
      waits.push(rows[0].wait)
      await passDeliveries(t.deps, site, '14 hours')
      await t.deps.pool.query("UPDATE delivery SET first_at = first_at + interval '14 hours' WHERE site_id = $1", [
        site.id,
      ])
    }
    for (const [tries, wait] of waits.entries()) {
      const planned = Math.min(43_200, 5 * 4 ** tries)
      expect(wait).toBeGreaterThanOrEqual(planned * 0.9 - 1)
      expect(wait).toBeLessThanOrEqual(planned * 1.1 + 1)
    }
    await work()
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1)
    await passDeliveries(t.deps, site, '1 day')
    await work()
    expect(receiver.received).toHaveLength(10)
  })

  test('D413 events of one user arrive in their order, also where the first one fails; other users do not wait', async () => {
    const { site, receiver } = await wired()
    const [one, other] = [randomUUID(), randomUUID()]
    let failing = true
    receiver.answer = ({ data }) => (failing && data.id === one ? 503 : 200)
    for (const what of times(20, String)) {
      await happen(t.deps, site, one, what)
      await happen(t.deps, site, other, what)
    }
    await work()
    const of = (id: string) => receiver.received.filter(({ data }) => data.id === id).map(({ data }) => data.changed[0])
    expect(of(one)).toEqual(['0'])
    expect(of(other)).toEqual(times(20, String))
    failing = false
    await passDeliveries(t.deps, site, '1 minute')
    await work()
    expect(of(one)).toEqual(['0', ...times(20, String)])
  })

  test('D414 of many workers one delivers to an endpoint at a time: nothing is sent twice', async () => {
    const { site, receiver } = await wired()
    const users = times(10, () => randomUUID())
    for (const at of times(200, (index) => index)) await happen(t.deps, site, users[at % 10] ?? '', String(at))
    await numberAll(t.deps)
    await Promise.all(times(6, work))
    expect(receiver.received).toHaveLength(200)
    for (const [index, user] of users.entries())
      expect(
        receiver.received.filter(({ data }) => data.id === user).map(({ data }) => Number(data.changed[0])),
      ).toEqual(times(20, (at) => at * 10 + index))
  })

  test('D415 what a killed worker held is delivered by another after its hold has ended, under the same ids', async () => {
    const { site, receiver } = await wired()
    await happen(t.deps, site, randomUUID(), 'nickname')
    await numberAll(t.deps)
    const [held] = (await holdEndpoints(t.deps.db, randomUUID(), 64)).filter(({ siteId }) => siteId === site.id)
    expect(held).toBeDefined()
    await work()
    expect(receiver.received).toHaveLength(0)
    await passHolds(t.deps, site, '31 seconds')
    await work()
    expect(receiver.received).toHaveLength(1)
    // The former holder comes back: it has lost its hold, and delivers nothing.
    await happen(t.deps, site, randomUUID(), 'nickname')
    await numberAll(t.deps)
    await holdEndpoints(t.deps.db, randomUUID(), 64)
    if (held) await runLane(t.deps, held)
    expect(receiver.received).toHaveLength(1)
  })

  test('D416 an endpoint that keeps failing is tried by one delivery at a time, and gets all of them when it is back', async () => {
    const { site, receiver } = await wired()
    let away = true
    receiver.answer = () => (away ? 502 : 200)
    for (const _ of times(40, String)) await happen(t.deps, site, randomUUID(), 'nickname')
    await work()
    expect(receiver.received).toHaveLength(16)
    for (const expected of [17, 18]) {
      await passDeliveries(t.deps, site, '11 seconds')
      await t.deps.pool.query(
        "UPDATE delivery SET due_at = clock_timestamp() + interval '1 hour' WHERE site_id = $1 AND tries > 0",
        [site.id],
      )
      await work()
      expect(receiver.received).toHaveLength(expected)
    }
    away = false
    await passDeliveries(t.deps, site, '21 seconds')
    await work()
    expect(new Set(receiver.received.slice(18).map(({ id }) => id)).size).toBe(40)
  })
})

describe('an endpoint', () => {
  const dueMail = async (site: TestSite, email: string) => {
    await workQueue(t, site, 'mail-notice')
    return (await messagesTo(email)).map(({ text }) => text)
  }

  test('D417 is disabled after three days of failures, the ADMINs are notified, and it goes on where it stopped', async () => {
    const { site, receiver } = await wired()
    const admin = await member(t, site)
    await makeOperator(t.deps, site.id, admin.id as UserId, ['READ', 'ADMIN'])
    await work()
    receiver.received.length = 0
    receiver.answer = () => 500
    const user = randomUUID()
    await happen(t.deps, site, user, 'first')
    await work()
    await passDeliveries(t.deps, site, '71 hours')
    await work()
    expect(await stateOf(site)).toMatchObject({ state: 'active' })
    await passDeliveries(t.deps, site, '2 hours')
    await work()
    expect(await stateOf(site)).toMatchObject({ state: 'disabled', reason: 'failing' })
    expect((await dueMail(site, admin.email))[0]).toContain('erp')
    receiver.answer = () => 200
    receiver.received.length = 0
    await happen(t.deps, site, user, 'second')
    await passDeliveries(t.deps, site, '1 day')
    await work()
    expect(receiver.received).toEqual([])
    await resumeWebhook(t.deps, site.id, 'erp', 'cli:test')
    await work()
    expect(receiver.received.map(({ data }) => data.changed[0])).toEqual(['first', 'second'])
    expect(await stateOf(site)).toMatchObject({ state: 'active', waiting: 0 })
  })

  test('D418 that answers 410 is disabled at once, and one that redirects is not followed', async () => {
    const { site, receiver } = await wired()
    receiver.answer = () => 410
    await happen(t.deps, site, randomUUID(), 'nickname')
    await work()
    expect(await stateOf(site)).toMatchObject({ state: 'disabled', reason: 'gone', waiting: 1 })
    const [moved, elsewhere] = [await wired(), await newReceiver()]
    moved.receiver.answer = () => ({ status: 307, headers: { location: elsewhere.url } })
    await happen(t.deps, moved.site, randomUUID(), 'nickname')
    await work()
    expect(elsewhere.received).toEqual([])
    expect(await stateOf(moved.site)).toMatchObject({ state: 'active', waiting: 1 })
  })

  test('D419 that hangs, trickles or answers without end holds up no other, and little of the answer is stored', async () => {
    const { site, receiver, secret } = await wired()
    const slow = await newReceiver()
    slow.answer = () => 'silence'
    await change(site, [
      { id: 'erp', url: receiver.url, secret },
      { id: 'slow', url: slow.url, secret },
    ])
    receiver.answer = () => ({ status: 200, body: 'x'.repeat(1_000_000) })
    for (const _ of times(20, String)) await happen(t.deps, site, randomUUID(), 'nickname')
    await work()
    expect(receiver.received.length).toBeGreaterThanOrEqual(20)
    const { rows } = await t.deps.pool.query(
      'SELECT endpoint_id AS id, max(length(answer)) AS length, min(failure) AS failure FROM delivery WHERE site_id = $1 AND tries > 0 GROUP BY 1 ORDER BY 1',
      [site.id],
    )
    expect(rows).toEqual([
      { id: 'erp', length: 2_048, failure: null },
      { id: 'slow', length: null, failure: 'TIMEOUT' },
    ])
  })

  test('D420 without HTTPS, or at an address that is not public, gets nothing', async () => {
    const { site, receiver } = await wired()
    await happen(t.deps, site, randomUUID(), 'nickname')
    await workLanes({ ...t.deps, config: { ...t.deps.config, insecureHttp: false } })
    expect(receiver.received).toEqual([])
    const { rows } = await t.deps.pool.query('SELECT failure FROM delivery WHERE site_id = $1', [site.id])
    expect(rows).toEqual([{ failure: 'NOT_HTTPS' }])
  })
})

describe('secrets', () => {
  test('D421 both secrets sign while one is rotated, and the former no longer after it', async () => {
    const { site, receiver, secret } = await wired()
    const next = await rotateWebhook(t.deps, site.id, 'erp', 'cli:test')
    await expect(rotateWebhook(t.deps, site.id, 'erp', 'cli:test')).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    await t.deps.sites.refresh()
    await work()
    const verify = (with_: string) => {
      const { body = '', headers = {} } = receiver.received.at(-1) ?? {}
      return () => new Webhook(with_).verify(body, headers as Record<string, string>)
    }
    expect(receiver.received.at(-1)?.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)
    for (const each of [secret, next]) expect(verify(each)).not.toThrow()
    await finishWebhookRotation(t.deps, site.id, 'erp', 'cli:test')
    await t.deps.sites.refresh()
    await work()
    expect(verify(next)).not.toThrow()
    expect(verify(secret)).toThrow()
  })

  test('D422 a secret is encrypted, masked and lost when the URL changes; nothing is delivered without one', async () => {
    const { site, receiver, secret } = await wired()
    const { config } = await readConfig(t.deps, site.id)
    expect(config.webhooks?.[0]?.secret).toBe('********')
    const stored = await t.deps.pool.query('SELECT config::text FROM site_config WHERE site_id = $1', [site.id])
    expect(stored.rows[0].config).not.toContain(secret)
    await rotateKeys(t.deps)
    await t.deps.sites.refresh()
    const other = await newReceiver()
    await change(site, [{ id: 'erp', url: other.url, secret: '********' }])
    await work()
    expect([...receiver.received, ...other.received]).toEqual([])
    const { rows } = await t.deps.pool.query('SELECT DISTINCT failure FROM delivery WHERE site_id = $1', [site.id])
    expect(rows).toEqual([{ failure: 'NO_SECRET' }])
  })

  test.each([
    [{ url: 'http://erp.example.com/hooks' }, 'url'],
    [{ url: 'https://user:pass@erp.example.com/hooks' }, 'url'],
    [{ secret: 'whsec_short' }, 'secret'],
    [{ secret: 'x'.repeat(40) }, 'secret'],
    [{ id: 'a/b' }, 'id'],
    [{ types: ['user.unheard'] as never }, 'types'],
  ])('D423 %o is no endpoint', async (wrong, field) => {
    const webhook = { id: 'erp', url: 'https://erp.example.com/hooks', secret: webhookSecret(), ...wrong }
    const refused = await t.site({ webhooks: [webhook] }).catch((error) => error)
    expect(refused).toMatchObject({ code: 'INPUT_INVALID' })
    expect(JSON.stringify(refused.details)).toContain(field)
  })
})

test('D424 an erasure takes waiting deliveries along, and user.deleted goes out', async () => {
  const { site, receiver } = await wired()
  const user = await member(t, site)
  await numberAll(t.deps)
  receiver.answer = () => 500
  await work()
  receiver.received.length = 0
  receiver.answer = () => 200
  await t.deps.db.transaction().execute((tx) => eraseUser(tx, t.deps, site.id, user.id as UserId))
  await passDeliveries(t.deps, site, '1 minute')
  await work()
  expect(receiver.received.map(({ type, data }) => [type, data.id])).toEqual([['user.deleted', user.id]])
})
