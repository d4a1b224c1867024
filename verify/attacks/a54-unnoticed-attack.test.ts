import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readUser } from '@hufu/contract/merchant-users'
import { queryOperatorLog } from '@hufu/contract/operators'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createDatabase, type TestSite, times } from '../../apps/server/test/test-app.ts'
import { hufu, type Running, ready, runHufu } from '../../tools/run/product.ts'
import { freePorts } from '../../tools/stores/ports.ts'
import { alertingAttacks } from '../harness/alerting-attacks.ts'
import { figure } from '../harness/assert-figure.ts'
import { callerOf } from '../harness/callers.ts'
import { type Harness, openHarness } from '../harness/harness.ts'
import { type Prometheus, startPrometheus } from '../harness/prometheus.ts'

let t: Harness
let environment: Record<string, string>
let apis: Running[] = []
let prometheus: Prometheus
beforeAll(async () => {
  environment = { ...inject('environment'), HUFU_DATABASE_URL: await createDatabase() }
  const ports = await freePorts(4)
  const [[one = 0, two = 0], metrics] = [ports.slice(0, 2), ports.slice(2)]
  const log = openSync(join(inject('logFolder'), `a54-${one}.log`), 'a')
  apis = [one, two].map((port, index) =>
    runHufu('serve', { ...environment, HUFU_PORT: String(port), HUFU_METRICS_PORT: String(metrics[index]) }, [], log),
  )
  closeSync(log)
  const urls = [one, two].map((port) => `http://127.0.0.1:${port}`)
  await Promise.all(apis.map((api, index) => ready(urls[index] ?? '', api)))
  prometheus = await startPrometheus({ 'hufu-api': metrics })
  t = await openHarness(environment, urls)
}, 120_000)
afterAll(async () => {
  await prometheus?.stop()
  await t?.close()
  await Promise.all(apis.map((api) => api.stop()))
})

const firing = async (alert: string, site: TestSite) =>
  (await prometheus.query(`ALERTS{alertname="${alert}",site="${site.id}",alertstate="firing"}`)).length > 0

async function seconds(alert: string, site: TestSite): Promise<number> {
  const from = performance.now()
  while (!(await firing(alert, site))) {
    if (performance.now() - from > 60_000) return Number.POSITIVE_INFINITY
    await sleep(200)
  }
  return (performance.now() - from) / 1_000
}

test.each(Object.entries(alertingAttacks))(
  'A54 %s: an attack is alerted within a minute, at its own site',
  async (alert, attack) => {
    const [site, other] = [await t.codeSite(), await t.codeSite()]
    await attack(t, site)
    figure(`${alert} fires after`, await seconds(alert, site), ['<=', 60], 's')
    expect(await firing(alert, other)).toBe(false)
  },
)

test('A54 nothing fires during the usual work of an operator', async () => {
  const site = await t.codeSite()
  const reader = await callerOf(t, 'merchantRead', site)
  for (const _ of times(5, () => 0)) {
    const { id } = await t.user(site, { password: undefined })
    expect((await reader.call(readUser, { id })).status).toBe(200)
  }
  await sleep(4_000)
  const alerts = await prometheus.query(`ALERTS{site="${site.id}"}`)
  figure('alerts at a site of usual work', alerts.length, ['=', 0])
})

test('A54 no label names a user', async () => {
  const series = await prometheus.query('{__name__=~"hufu_(security_failures|operator_actions)_total"}')
  const { rows } = await t.deps.pool.query('SELECT id FROM site')
  const sites = rows.map(({ id }) => id)
  const words = series.flatMap(({ labels: { site, event, action } }) => [
    ...(sites.includes(site) ? [] : [site]),
    ...[event, action].filter((word) => word && !/^[a-z]+\.[a-zA-Z]+$/.test(word)),
  ])
  expect(series.length).toBeGreaterThan(4)
  expect(words).toEqual([])
})

test('A54 the operator log names a user for actions on the command line', async () => {
  const site = await t.codeSite()
  const { mobile, id } = await t.user(site)
  const grant = (...more: string[]) =>
    hufu({ ...environment, SUDO_USER: 'chen.yi' }, ['grant', '--site', site.host, '--mobile', mobile, ...more])
  await grant('--by', 'lin.zhixia', 'MERCHANT', 'READ')
  await grant('MERCHANT', 'WRITE')
  await expect(grant('--by', 'unknown\n2026', 'MERCHANT', 'ADMIN')).rejects.toThrow('--by')
  const admin = await callerOf(t, 'merchantAdmin', site)
  const { data } = await admin.call(queryOperatorLog, {})
  const grants = data?.data.filter(({ action, person: user }) => action === 'user.grant' && user?.id === id) ?? []
  expect(grants.map(({ operator, by }) => ({ operator, by })).reverse()).toEqual([
    { operator: null, by: 'lin.zhixia' },
    { operator: null, by: 'chen.yi' },
  ])
  const unnamed = grants.filter(({ by }) => !by).length
  figure('actions on the command line without a name', unnamed, ['=', 0])
})
