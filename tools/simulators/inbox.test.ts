import { afterEach, expect, test } from 'vitest'
import { withoutPrefix } from './carrier.ts'
import { startInbox } from './inbox.ts'
import { createInboxStore } from './inbox-store.ts'
import type { Simulator } from './loopback.ts'
import { startSimulators } from './start-simulators.ts'

const running: { stop(): Promise<void> }[] = []
afterEach(async () => {
  for (const part of running.splice(0)) await part.stop()
})

const sms = (to: string, text: string) => ({ to, text, channel: 'sms' as const })

async function start(store = createInboxStore()): Promise<Simulator> {
  const inbox = await startInbox({ store })
  running.push(inbox)
  return inbox
}

async function texts(inbox: Simulator, to?: string): Promise<string[]> {
  const query = to === undefined ? '' : `?to=${encodeURIComponent(to)}`
  const answer = await fetch(`${inbox.url}/api/messages${query}`)
  return ((await answer.json()) as { data: { text: string }[] }).data.map(({ text }) => text)
}

test('messages come newest first, of all receivers or of one', async () => {
  const store = createInboxStore()
  const inbox = await start(store)
  store.receive(sms('13800138000', 'one'))
  store.receive({ ...sms('a+b@qingyu.example', 'two'), channel: 'mail' })
  store.receive(sms('13800138000', 'three'))
  expect(await texts(inbox)).toEqual(['three', 'two', 'one'])
  expect(await texts(inbox, '13800138000')).toEqual(['three', 'one'])
  expect(await texts(inbox, 'a+b@qingyu.example')).toEqual(['two'])
  expect(await texts(inbox, '138')).toEqual([])
})

test('only the newest thousand are kept', () => {
  const store = createInboxStore()
  for (let i = 0; i < 1_005; i++) store.receive(sms('13800138000', String(i)))
  expect(store.list()).toHaveLength(1_000)
  expect([store.list().at(0)?.text, store.list().at(-1)?.text]).toEqual(['1004', '5'])
})

test('a new message is reported to every follower until it leaves', async () => {
  const store = createInboxStore()
  const inbox = await start(store)
  const answer = await fetch(`${inbox.url}/api/events`)
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader?.read())?.value).toContain('retry')
  store.receive(sms('13800138000', '第一行\n第二行'))
  const event = (await reader?.read())?.value ?? ''
  expect(JSON.parse(event.replace(/^data: /, ''))).toMatchObject({ to: '13800138000', text: '第一行\n第二行' })
  await reader?.cancel()
})

test('the page and its files come from the inbox alone', async () => {
  const inbox = await start()
  for (const [path, type] of Object.entries({
    '/': 'text/html',
    '/page.css': 'text/css',
    '/page.js': 'text/javascript',
  })) {
    const answer = await fetch(inbox.url + path)
    expect(answer.headers.get('content-type')).toContain(type)
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await answer.text()).not.toMatch(/https?:\/\//)
  }
  expect((await fetch(`${inbox.url}/nothing`)).status).toBe(404)
})

test('an unknown fault is refused', async () => {
  const simulators = await startSimulators()
  running.push(simulators)
  const set = (url: string, body: string) => fetch(`${url}/control`, { method: 'POST', body })
  for (const url of [simulators.inbox, simulators.aliyunUrl, simulators.tencentUrl]) {
    expect((await set(url, '{"mode":"explode"}')).status).toBe(400)
    expect((await set(url, 'no json')).status).toBe(400)
    expect(await (await set(url, '{"mode":"refuse","count":2}')).json()).toEqual({
      data: { mode: 'refuse', count: 2, received: 0 },
    })
  }
})

test('a fault with a count ends after so many messages', async () => {
  const simulators = await startSimulators()
  running.push(simulators)
  const { aliyunUrl } = simulators
  await fetch(`${aliyunUrl}/control`, { method: 'POST', body: '{"mode":"fail","count":2}' })
  const statuses = []
  for (let i = 0; i < 3; i++) statuses.push((await fetch(aliyunUrl, { method: 'POST' })).status)
  expect(statuses).toEqual([500, 500, 400])
})

test.each([
  ['8613800138000', '13800138000'],
  ['85261234567', '61234567'],
  ['886912345678', '912345678'],
  ['12025550123', '2025550123'],
  ['6591234567', '91234567'],
  ['79161234567', '9161234567'],
  ['447700900123', '7700900123'],
  ['351912345678', '912345678'],
])('%s is known to its owner as %s', (number, own) => {
  expect(withoutPrefix(number)).toBe(own)
})
