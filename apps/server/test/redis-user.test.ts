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
import { makeTemporaryFolder } from '../../../tools/run/temporary-folder.ts'
import { startRedis } from '../../../tools/stores/redis.ts'
import { grant } from '../src/features/users/users.service.ts'
import { member, password, stepUp } from './account-person.ts'
import { startTestApp } from './test-app.ts'

const project = join(import.meta.dirname, '../../..')

/** The rules of the user `hufu`, after its password. */
function rulesInCompose(): string {
  const { services } = parse(readFileSync(join(project, 'deploy/compose.yaml'), 'utf8'), { merge: true }) as {
    services: { redis: { command: string[] } }
  }
  const { command } = services.redis
  return command.slice(command.findIndex((word) => word.startsWith('>')) + 1).join(' ')
}

const rulesInGuide = (): string =>
  /^user hufu on #\S+ (.+)$/m.exec(
    readFileSync(join(project, 'docs/operating.md'), 'utf8').replace(/\$\([^)]*\)/, 'x'),
  )?.[1] ?? ''

test('D109 the guide and compose.yaml give the user of Redis the same rules', () => {
  expect(rulesInCompose()).toMatch(/^~\* .*-@dangerous \+info$/)
  expect(rulesInGuide()).toBe(rulesInCompose())
})

test('D109 with these rules everything works, and nothing that only an administrator needs', {
  timeout: 120_000,
}, async () => {
  const folder = makeTemporaryFolder('redis-user')
  const store = await startRedis(folder)
  const admin = new Redis(store.url)
  onTestFinished(async () => {
    admin.disconnect()
    await store.stop()
    rmSync(folder, { recursive: true })
  })
  await admin.acl('SETUSER', 'hufu', 'on', '>secret', ...rulesInCompose().split(' '))
  const url = store.url.replace('redis://', 'redis://hufu:secret@')
  const t = await startTestApp({ HUFU_REDIS_URL: url })
  onTestFinished(() => t.close())
  const site = await t.codeSite()
  const person = await member(t, site)
  await stepUp(t, site, person, person.mobile)
  const desk = t.browser(site)
  const { data: request } = await desk.call(createScanRequest)
  if (!request) throw new Error('no request was made')
  const { origin: _, ...asked } = request
  for (const status of [0, 1] as const)
    expect((await person.call(processScanRequest, { ...asked, status })).status).toBe(200)
  expect((await desk.call(checkScanRequest, asked)).data).toEqual({ status: 1 })
  expect((await t.call(site, loginByPassword, { account: person.username, password: `${password}x` })).code).toBe(
    'LOGIN_FAILED',
  )
  const { data: sent } = await desk.call(sendFeedback, { message: '你好' })
  await grant(t.deps, site.id, person.id as never, 'MERCHANT', ['READ', 'WRITE'], 'test')
  expect((await person.call(answering, { id: sent?.id ?? '', writing: true })).status).toBe(200)
  expect((await person.call(replyFeedback, { id: sent?.id ?? '', message: '您好' })).status).toBe(200)
  expect((await desk.call(logout)).status).toBe(200)
  expect((await person.call(userInfo)).status).toBe(200)
  expect(t.log.join('')).not.toMatch(/NOPERM|Redis is away/)
  expect(await t.deps.redis.info()).toContain('redis_version')
  for (const words of [
    ['CONFIG', 'GET', '*'],
    ['FLUSHALL'],
    ['KEYS', '*'],
    ['ACL', 'LIST'],
    ['DEBUG', 'SLEEP', '0'],
    ['MONITOR'],
    ['CLIENT', 'KILL', 'TYPE', 'normal'],
    ['SCRIPT', 'FLUSH'],
  ])
    await expect(t.deps.redis.call(...(words as [string])), words.join(' ')).rejects.toThrow('NOPERM')
})
