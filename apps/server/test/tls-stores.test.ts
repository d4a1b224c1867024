import { setTimeout as sleep } from 'node:timers/promises'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { hufu, ready, runHufu } from '../../../tools/run/product.ts'
import { demoSms } from '../../../tools/simulators/demo-gateways.ts'
import { freePort } from '../../../tools/stores/ports.ts'
import { send } from '../../../verify/harness/http.ts'
import { createDatabase, fresh, messagesTo, testKeys, wideLimits } from './test-app.ts'
import { startTlsStores, type TlsStores } from './tls-stores.ts'

let stores: TlsStores
beforeAll(async () => {
  stores = await startTlsStores()
}, 120_000)
afterAll(() => stores.stop())

const keys = testKeys()

async function environmentWith(more: Record<string, string>): Promise<Record<string, string>> {
  return {
    HUFU_DATABASE_URL: await createDatabase(),
    HUFU_REDIS_URL: `rediss://localhost:${stores.single}`,
    HUFU_KEYS: keys,
    HUFU_ALIYUN_SMS_URL: inject('aliyunUrl'),
    HUFU_LOG_LEVEL: 'silent',
    NODE_EXTRA_CA_CERTS: stores.ca,
    ...more,
  }
}

/**
 * Starts the product and asks for a code, which is counted in Redis first: the status and how many messages arrived.
 * Connections may still be on their way, so a 503 counts only after `timeoutMs` milliseconds.
 */
async function sendOneCode(
  environment: Record<string, string>,
  timeoutMs = 30_000,
): Promise<{ status: number; arrived: number }> {
  const [host, mobile, port] = [fresh.host(), fresh.mobile(), await freePort()]
  const config = JSON.stringify({ sms: demoSms, limits: wideLimits })
  await hufu(environment, ['site', 'create', '--origin', `https://${host}`, '--config', '-'], config)
  const api = runHufu('serve', { ...environment, HUFU_PORT: String(port) })
  const ask = () =>
    send(`http://127.0.0.1:${port}`, {
      path: sendMobileCode.path,
      headers: { host, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ mobilePrefix: '86', mobile }),
    })
  try {
    await ready(`http://127.0.0.1:${port}`, api)
    let reply = await ask()
    for (let waited = 0; reply.status === 503 && waited < timeoutMs; waited += 300) {
      await sleep(300)
      reply = await ask()
    }
    return { status: reply.status, arrived: (await messagesTo(mobile)).length }
  } finally {
    await api.stop()
  }
}

const clusterUrl = () => `rediss+cluster://${stores.cluster.map((port) => `localhost:${port}`).join(',')}`

test.each([
  ['one Redis', () => `rediss://localhost:${stores.single}`],
  ['a Redis Cluster', clusterUrl],
])('%s is met by TLS under a certificate that is vouched for', { timeout: 120_000 }, async (_, url) => {
  expect(await sendOneCode(await environmentWith({ HUFU_REDIS_URL: url() }))).toEqual({ status: 200, arrived: 1 })
})

test.each([
  ['is untrusted', () => ({ NODE_EXTRA_CA_CERTS: '' })],
  ['is untrusted in a cluster', () => ({ NODE_EXTRA_CA_CERTS: '', HUFU_REDIS_URL: clusterUrl() })],
  ['is of another name', () => ({ HUFU_REDIS_URL: `rediss://127.0.0.2:${stores.single}` })],
])('a Redis whose certificate %s counts nothing, so nothing is sent', { timeout: 120_000 }, async (_, more) => {
  expect(await sendOneCode(await environmentWith(more()), 2_000)).toEqual({ status: 503, arrived: 0 })
})

test('PostgreSQL is met by TLS where verify-full is asked for, under a certificate that is vouched for', {
  timeout: 120_000,
}, async () => {
  const url = `postgres://postgres@localhost:${stores.postgres.port}/postgres?sslmode=verify-full`
  const environment = await environmentWith({ HUFU_DATABASE_URL: url, HUFU_REQUIRE_TLS: '1' })
  await hufu(environment, ['migrate'])
  expect(await sendOneCode(environment)).toEqual({ status: 200, arrived: 1 })
  await expect(hufu({ ...environment, NODE_EXTRA_CA_CERTS: '' }, ['site', 'list'])).rejects.toThrow()
  expect(await sslOf(`${url}&sslrootcert=${stores.ca}`)).toBe(true)
})

async function sslOf(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString })
  await client.connect()
  const { rows } = await client.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')
  await client.end()
  return rows[0].ssl
}
