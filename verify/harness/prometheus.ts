import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { boundToParent } from '../../tools/run/bound-to-parent.ts'
import { makeTemporaryFolder } from '../../tools/run/temporary-folder.ts'
import { freePort } from '../../tools/stores/ports.ts'

const delivered = join(import.meta.dirname, '../../deploy/prometheus')

/** The output of promtool for the delivered files; throws if it finds a fault. */
export const promtool = (): string =>
  execFileSync('promtool', ['check', 'config', join(delivered, 'prometheus.yml')], { encoding: 'utf8' })

export const alertNames = (): string[] =>
  [...readFileSync(join(delivered, 'rules.yaml'), 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name)

/** The expressions of the dashboard's panels. */
export function dashboardQueries(): string[] {
  const { panels } = JSON.parse(readFileSync(join(delivered, 'dashboard.json'), 'utf8')) as {
    panels: { targets?: { expr: string }[] }[]
  }
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '1m')))
}

export interface Prometheus {
  /** How many series a query returns; a wrong query throws. */
  query(expression: string): Promise<{ labels: Record<string, string>; value: number }[]>
  /** Alerts that have fired so far. */
  fired(): Promise<string[]>
  stop(): Promise<void>
}

/** As delivered, but it scrapes every second and alerts fire without their `for` duration of minutes. */
function hastyRules(): string {
  return readFileSync(join(delivered, 'rules.yaml'), 'utf8').replace(/^ +for: \w+\n/gm, '')
}

export async function startPrometheus(targets: Record<string, number[]>): Promise<Prometheus> {
  const folder = makeTemporaryFolder('prometheus')
  const port = await freePort()
  const jobs = Object.entries(targets).map(([job_name, ports]) => ({
    job_name,
    static_configs: [{ targets: ports.map((each) => `127.0.0.1:${each}`) }],
  }))
  const global = { scrape_interval: '1s', evaluation_interval: '1s' }
  const file = join(folder, 'prometheus.yml')
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ global, rule_files: ['rules.yaml'], scrape_configs: jobs }))
  writeFileSync(join(folder, 'rules.yaml'), hastyRules())
  const flags = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${folder}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]
  const child = spawn(...boundToParent('prometheus', flags), { stdio: 'ignore' })
  const address = `http://127.0.0.1:${port}`
  for (let tries = 0; !(await fetch(`${address}/-/ready`).catch(() => undefined))?.ok; tries++) {
    if (tries > 200 || child.exitCode !== null) throw new Error('Prometheus did not start')
    await sleep(50)
  }

  async function query(expression: string) {
    const answer = await fetch(`${address}/api/v1/query?query=${encodeURIComponent(expression)}`)
    const { data, error } = (await answer.json()) as {
      data?: { result: { metric: Record<string, string>; value: [number, string] }[] }
      error?: string
    }
    if (!data) throw new Error(`${expression}: ${error}`)
    return data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }))
  }

  // Before the first scrape of all targets everything counts as missing.
  for (let tries = 0; (await query('up == 1')).length < Object.values(targets).flat().length; tries++) {
    if (tries > 100) throw new Error('Prometheus finds not all of them')
    await sleep(100)
  }
  await sleep(2_000)
  const began = performance.now()

  async function fired() {
    const seconds = Math.max(1, Math.floor((performance.now() - began) / 1_000))
    const seen = await query(`count by (alertname) (max_over_time(ALERTS{alertstate="firing"}[${seconds}s]))`)
    return seen.map(({ labels }) => labels.alertname ?? '').toSorted()
  }

  async function stop() {
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    await gone
    rmSync(folder, { recursive: true, force: true })
  }
  return { query, fired, stop }
}
