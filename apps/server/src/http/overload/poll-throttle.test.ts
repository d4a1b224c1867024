import { Agent, request } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { checkScanRequest, createScanRequest } from '@hufu/contract/scan-login'
import { meta } from '@hufu/contract/site'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestSite, times } from '../../../test/test-app.ts'
import { createPollThrottle } from './poll-throttle.ts'

let t: TestApp
let site: TestSite
let port: number
beforeAll(async () => {
  t = await startTestApp()
  site = await t.site()
  await t.app.listen({ port: 0, host: '127.0.0.1' })
  port = (t.app.server.address() as AddressInfo).port
})
afterAll(() => t.close())

const pages = 200
const agent = new Agent({ keepAlive: true, maxSockets: pages })

function post(path: string, cookie = '', body = '{}'): Promise<number | undefined> {
  const headers = { host: site.host, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json', cookie }
  return new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', path, method: 'POST', headers, agent }, (answer) =>
      answer.resume().on('end', () => resolve(answer.statusCode)),
    )
      .on('error', reject)
      .end(body)
  })
}

test('connections that poll all at once are all answered, again and again, and serve other calls afterwards', async () => {
  const desk = t.browser(site)
  const { data } = await desk.call(createScanRequest)
  if (!data) throw new Error('no request was made')
  const { id, time, ip } = data
  const cookie = [...desk.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const body = JSON.stringify({ id, time, ip })
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all(times(pages, () => post(checkScanRequest.path, cookie, body)))
    expect(new Set(answers)).toEqual(new Set([200]))
  }
  expect(new Set(await Promise.all(times(pages, () => post(meta.path))))).toEqual(new Set([200]))
  agent.destroy()
})

async function turns(count: number): Promise<void> {
  for (let passed = 0; passed < count; passed++) await turn()
}

test('a connection whose answer took many turns is read again, though no page polls any more', async () => {
  const throttle = createPollThrottle()
  expect(times(65, () => throttle.enter()).at(-1)).toBe(true)
  await turns(3)
  const connection = new Socket()
  throttle.hold(connection)
  expect(connection.isPaused()).toBe(true)
  await turns(3)
  expect(connection.isPaused()).toBe(false)
})
