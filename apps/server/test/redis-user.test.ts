import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replyFeedback, sendFeedback } from '@hufu/contract/feedback'
import { answering } from '@hufu/contract/feedback-desk'
import { loginByPassword, logout } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { checkScanRequest, createScanRequest, processScanRequest } from '@hufu/contract/scan-login'
import { Redis } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { boundToParent } from '../../../tools/run/bound-to-parent.ts'
import { makeTemporaryFolder } from '../../../tools/run/temporary-folder.ts'
import { freePort } from '../../../tools/stores/ports.ts'
import { member, password, stepUp } from './account-user.ts'
import { makeOperator } from './enrolled.ts'
import { startTestApp } from './test-app.ts'

const project = join(import.meta.dirname, '../../..')

/** What compose.yaml starts Redis with. */
function commandInCompose(): string[] {
  const text = readFileSync(join(project, 'deploy/compose.yaml'), 'utf8').replaceAll(
    /\$\{REDIS_PASSWORD:\?\}/g,
    'secret',
  )
  const { services } = parse(text, { merge: true }) as { services: { redis: { command: string[] } } }
  return services.redis.command
}

/** The rules of the user `hufu`, after its password. */
const rulesInCompose = (): string => {
  const command = commandInCompose()
  return command.slice(command.indexOf('>secret') + 1).join(' ')
}

const rulesInGuide = (): string =>
  /^user hufu on #\$\(.*?\) (.+)$/m.exec(readFileSync(join(project, 'docs/operating.md'), 'utf8'))?.[1] ?? ''

/** Redis as compose.yaml starts it. */
async function startAsDelivered(): Promise<{ port: number; stranger: Redis }> {
  const [port, folder] = [await freePort(), makeTemporaryFolder('redis-user')]
  const [program = '', ...words] = commandInCompose()
  const here = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--loglevel', 'warning']
  const server = spawn(...boundToParent(program, [...here, ...words]), { stdio: 'ignore' })
  const stranger = new Redis(port, '127.0.0.1', { enableReadyCheck: false })
  stranger.on('error', () => {})
  onTestFinished(async () => {
    stranger.disconnect()
    const gone = once(server, 'exit')
    server.kill('SIGTERM')
    await gone
    rmSync(folder, { recursive: true })
  })
  return { port, stranger }
}

test('D109 the guide and compose.yaml give the user of Redis the same rules', () => {
  expect(rulesInCompose()).toMatch(/^~\* .*-@dangerous \+info$/)
  expect(rulesInGuide()).toBe(rulesInCompose())
})

test('D109 with these rules everything works, and nothing that only an administrator needs', {
  timeout: 120_000,
}, async () => {
  const { port, stranger } = await startAsDelivered()
  await expect(stranger.ping()).rejects.toThrow('NOAUTH')
  const t = await startTestApp({ HUFU_REDIS_URL: `redis://hufu:secret@127.0.0.1:${port}` })
  onTestFinished(() => t.close())
  const site = await t.codeSite()
  const user = await member(t, site)
  await stepUp(t, site, user, user.mobile)
  const desk = t.browser(site)
  const { data: request } = await desk.call(createScanRequest)
  if (!request) throw new Error('no request was made')
  const { origin: _, ...asked } = request
  for (const status of [0, 1] as const)
    expect((await user.call(processScanRequest, { ...asked, status })).status).toBe(200)
  expect((await desk.call(checkScanRequest, asked)).data).toEqual({ status: 1 })
  expect((await t.call(site, loginByPassword, { account: user.username, password: `${password}x` })).code).toBe(
    'LOGIN_FAILED',
  )
  const { data: sent } = await desk.call(sendFeedback, { message: '你好' })
  await makeOperator(t.deps, site.id, user.id, ['READ', 'WRITE'])
  expect((await user.call(answering, { id: sent?.id ?? '', writing: true })).status).toBe(200)
  expect((await user.call(replyFeedback, { id: sent?.id ?? '', message: '您好' })).status).toBe(200)
  expect((await desk.call(logout)).status).toBe(200)
  expect((await user.call(userInfo)).status).toBe(200)
  expect(t.log.join('')).not.toMatch(/NOPERM|Redis is unreachable/)
  expect(await t.deps.redis.info()).toContain('redis_version')
  for (const words of [
    ['CONFIG', 'GET', '*'],
    ['FLUSHALL'],
    ['KEYS', '*'],
    ['ACL', 'LIST'],
    ['MONITOR'],
    ['CLIENT', 'KILL', 'TYPE', 'normal'],
    ['SCRIPT', 'FLUSH'],
  ])
    await expect(t.deps.redis.call(...(words as [string])), words.join(' ')).rejects.toThrow('NOPERM')
})
