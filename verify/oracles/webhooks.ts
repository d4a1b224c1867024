// The libraries of Standard Webhooks in Python, Go and Java judge deliveries as we send them. `pnpm webhooks-oracles`; it
// needs these languages and their package registries. The library for JavaScript does the same in the tests.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { sendEvent } from '../../apps/server/src/integrations/webhook/standard-webhook.ts'
import { startReceiver } from '../../apps/server/test/webhook-receiver.ts'
import { webhookSecret } from '../../apps/server/test/webhook-secret.ts'

interface Case {
  secret: string
  body: string
  headers: Record<string, string>
  expected: 'valid' | 'refused'
}

const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']

/** What a receiver gets, and what it must refuse. */
async function makeCases(): Promise<Case[]> {
  const [present, former, wrong] = [webhookSecret(), webhookSecret(), webhookSecret()]
  const receiver = await startReceiver()
  const deliver = async (ageSeconds: number): Promise<Case> => {
    const clock = { now: () => Date.now() - ageSeconds * 1_000 }
    const body = JSON.stringify({
      type: 'user.updated',
      timestamp: 'now',
      data: { id: '林知夏', changed: ['nickname'] },
    })
    const message = { url: receiver.url, secrets: [present, former], id: crypto.randomUUID(), body }
    await sendEvent({ clock, config: { insecureHttp: true } }, message)
    const { headers, body: received = '' } = receiver.received.at(-1) ?? {}
    const kept = Object.fromEntries(names.map((name) => [name, String(headers?.[name])]))
    return { secret: present, body: received, headers: kept, expected: 'valid' }
  }
  const [fresh, old] = [await deliver(0), await deliver(600)]
  await receiver.close()
  return [
    fresh,
    { ...fresh, secret: former },
    { ...fresh, secret: wrong, expected: 'refused' },
    { ...fresh, body: fresh.body.replace('updated', 'deleted'), expected: 'refused' },
    { ...fresh, headers: { ...fresh.headers, 'webhook-id': 'x' }, expected: 'refused' },
    { ...old, expected: 'refused' },
  ]
}

function run(cwd: string, command: string, args: string[], input = ''): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, input, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error ?? stderr}${stdout}`)
  // Maven colours even what it doesn't print.
  return stripVTControlCharacters(stdout)
}

/** How each language is built, and then asked. */
const oracles: Record<string, (folder: string, input: string) => string> = {
  python(folder, input) {
    run(folder, 'python3', ['-m', 'venv', 'venv'])
    run(folder, 'venv/bin/pip', ['install', '--quiet', '-r', 'requirements.txt'])
    return run(folder, 'venv/bin/python', ['verify.py'], input)
  },
  go: (folder, input) => run(folder, 'go', ['run', '.'], input),
  java(folder, input) {
    run(folder, 'mvn', ['-q', '-B', 'compile'])
    return run(folder, 'mvn', ['-q', '-B', 'exec:java'], input)
  },
}

const cases = await makeCases()
const input = `${cases.map(({ expected: _, ...asked }) => JSON.stringify(asked)).join('\n')}\n`
const folder = mkdtempSync(join(tmpdir(), 'oracles-'))
let failed = false
try {
  for (const [language, ask] of Object.entries(oracles)) {
    cpSync(join(import.meta.dirname, language), join(folder, language), { recursive: true })
    const answers = ask(join(folder, language), input).trim().split('\n')
    const right = cases.filter(({ expected }, index) => answers[index] === expected).length
    failed ||= right < cases.length
    console.log(`${language}: ${right} of ${cases.length} deliveries judged as expected`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (failed) process.exit(1)
