import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { deflateSync } from 'node:zlib'
import { changeAvatar, userInfo } from '@hufu/contract/profile'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type TestSite, times } from '../apps/server/test/test-app.ts'
import { type Api, startApi } from './ground.ts'
import { type Browser, few, freshAddress, type Harness, openHarness } from './harness.ts'
import { type Reply, send, tally } from './http.ts'

/** Processes of its own, whose memory nobody else fills. */
let apis: Api[]
let t: Harness
let site: TestSite
beforeAll(async () => {
  apis = await Promise.all(times(2, () => startApi(inject('environment'), inject('logFolder'))))
  t = await openHarness(
    inject('environment'),
    apis.map(({ url }) => url),
  )
  site = await t.codeSite()
})
afterAll(async () => {
  await t.close()
  await Promise.all(apis.map((api) => api.stop()))
})

const someone = async () => t.session(site, (await t.person(site)).id)

let turn = 0

function upload(browser: Browser, file: Buffer, type = 'image/png', name = 'a.png'): Promise<Reply> {
  const boundary = 'hufuhufuhufu'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)])
  const api = apis[turn++ % apis.length] as Api
  return send(api.url, {
    path: changeAvatar.path,
    body,
    headers: {
      host: site.host,
      'sec-fetch-site': 'same-origin',
      'content-type': `multipart/form-data; boundary=${boundary}`,
      cookie: [...browser.cookies].map(([key, value]) => `${key}=${value}`).join('; '),
      'x-forwarded-for': freshAddress(),
    },
  })
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc(content))
  return Buffer.concat([length, content, sum])
}

function crc(bytes: Buffer): number {
  let value = 0xffffffff
  for (const byte of bytes) {
    value ^= byte
    for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0)
  }
  return (value ^ 0xffffffff) >>> 0
}

/** A PNG of so many pixels a side in a few hundred kilobytes: one grey bit a pixel, all alike. */
function bomb(side: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set([1, 0, 0, 0, 0], 8)
  const rows = Buffer.alloc((1 + Math.ceil(side / 8)) * side)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const svg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><image href="file:///etc/passwd"/><script>alert(1)</script></svg>',
)

test('A34 what is no JPEG, PNG or WebP, or too large, is refused in words', async () => {
  const person = await someone()
  const photo = await sharp({ create: { width: 600, height: 400, channels: 3, background: '#5374fa' } })
    .jpeg()
    .toBuffer()
  const gif = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#fff' } })
    .gif()
    .toBuffer()
  const cases: [string, Buffer, string][] = [
    ['an SVG', svg, 'IMAGE_INVALID'],
    ['an SVG after a byte order mark', Buffer.concat([Buffer.from('\ufeff'), svg]), 'IMAGE_INVALID'],
    ['a page', Buffer.from('<!doctype html><script>alert(1)</script>'), 'IMAGE_INVALID'],
    ['a GIF', gif, 'IMAGE_INVALID'],
    ['half a photo', photo.subarray(0, photo.length / 2), 'IMAGE_INVALID'],
    ['the head of a PNG', bomb(64).subarray(0, 40), 'IMAGE_INVALID'],
    ['a document', Buffer.from('%PDF-1.7\n1 0 obj'), 'IMAGE_INVALID'],
    ['nothing', Buffer.alloc(0), 'IMAGE_INVALID'],
    ['289 megapixels', bomb(17_000), 'IMAGE_TOO_LARGE'],
    ['17 megapixels', bomb(4_124), 'IMAGE_TOO_LARGE'],
    ['five megabytes and one', Buffer.alloc(5 * 1024 * 1024 + 1), 'IMAGE_TOO_LARGE'],
    ['six megabytes', Buffer.alloc(6 * 1024 * 1024), 'IMAGE_TOO_LARGE'],
  ]
  for (const [what, file, code] of cases) {
    for (const type of ['image/png', 'image/svg+xml', 'text/html']) {
      const reply = await upload(person, file, type)
      expect(`${what}: ${JSON.parse(reply.body).code}`).toBe(`${what}: ${code}`)
    }
  }
  expect((await person.call(userInfo)).data?.avatar).toBe(false)
  console.log(`A34: ${cases.length * 3} hostile files, all refused`)
})

test('A34 what hides behind a picture is gone, and the answer is a picture and nothing else', async () => {
  const person = await someone()
  const photo = await sharp({ create: { width: 600, height: 400, channels: 3, background: '#5374fa' } })
    .withExif({ IFD0: { ImageDescription: '<script>alert(1)</script>', Copyright: 'GPS-SECRET' } })
    .jpeg()
    .toBuffer()
  const polyglot = Buffer.concat([photo, Buffer.from('<script>alert("polyglot")</script>PK\u0003\u0004')])
  const reply = await upload(person, polyglot, 'text/html', '../../evil.html')
  const { avatarTime } = (JSON.parse(reply.body) as { data: { avatarTime: number } }).data
  const { headers, body } = await send(apis[0]?.url ?? '', {
    method: 'GET',
    path: `/api/avatar?id=${person.id}&t=${avatarTime}`,
    headers: { host: site.host },
  })
  expect(headers).toMatchObject({
    'content-type': 'image/webp',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'",
  })
  for (const trace of ['script', 'polyglot', 'GPS-SECRET', 'PK\u0003\u0004']) expect(body).not.toContain(trace)
})

/** What a process and its children hold, in megabytes. */
function heldBy(pid: number): number {
  const own = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
  return own + children.reduce((sum, child) => sum + heldBy(child), 0)
}

test('A34 fifty uploads at once: memory stays bounded and everybody else is answered', async () => {
  const people = await Promise.all(times(50, someone))
  const noise = Buffer.from(times(4000 * 3000, (index) => (index * 2_654_435_761) >>> 24))
  const photo = await sharp(noise, { raw: { width: 4000, height: 3000, channels: 1 } })
    .jpeg({ quality: 40 })
    .toBuffer()
  expect(photo.length).toBeLessThan(5 * 1024 * 1024)
  const bombs = [bomb(17_000), bomb(3_990), photo]
  const before = apis.map(({ pid }) => heldBy(pid))
  const most = [...before]
  let going = true
  const watch = (async () => {
    while (going) {
      for (const [index, { pid }] of apis.entries()) most[index] = Math.max(most[index] ?? 0, heldBy(pid))
      await sleep(20)
    }
  })()
  const answers: string[] = []
  for (let round = 0; round < few(4, 1); round++) {
    const replies = await Promise.all(people.map((person, index) => upload(person, bombs[index % 3] as Buffer)))
    answers.push(...replies.map(({ status, body }) => `${status} ${JSON.parse(body).code ?? ''}`))
  }
  going = false
  await watch
  const grown = most.map((peak, index) => peak - (before[index] ?? 0))
  console.log(
    `A34: ${answers.length} uploads, 50 at once on two processes: ${JSON.stringify(tally(answers))}; memory of a process with its children +${Math.max(...grown).toFixed(0)} MB at most`,
  )
  expect(answers.every((answer) => /^(200|413|503) /.test(answer))).toBe(true)
  expect(Math.max(...grown)).toBeLessThanOrEqual(150)
})
