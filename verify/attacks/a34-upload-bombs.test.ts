import { globSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { deflateSync } from 'node:zlib'
import { avatarPath } from '@hufu/contract/avatar-rules'
import type { Endpoint } from '@hufu/contract/endpoint'
import { feedbackPicturePath } from '@hufu/contract/feedback-rules'
import { userInfo } from '@hufu/contract/profile'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type TestSite, times } from '../../apps/server/test/test-app.ts'
import { leeway } from '../../tools/checks/time-limit.ts'
import { figure } from '../harness/assert-figure.ts'
import { callerOf } from '../harness/callers.ts'
import { type Api, shedding, startApi } from '../harness/environment.ts'
import { type Browser, few, freshAddress, type Harness, openHarness } from '../harness/harness.ts'
import { type Reply, send, tally, together } from '../harness/http.ts'
import { allEndpoints } from './samples.ts'
import { dataOf, type Sent, upload, uploads } from './uploads.ts'

/** Dedicated processes, whose memory no other test fills. */
let apis: Api[]
let t: Harness
let site: TestSite
const startTwo = () =>
  Promise.all(times(2, () => startApi({ ...inject('environment'), ...shedding }, inject('logFolder'))))
const stopAll = () => Promise.all(apis.map((api) => api.stop()))

beforeAll(async () => {
  apis = await startTwo()
  t = await openHarness(
    inject('environment'),
    apis.map(({ url }) => url),
  )
  site = await t.codeSite()
})
afterAll(async () => {
  await t.close()
  await stopAll()
})

/** A caller who may upload files of every kind. */
const uploader = () => callerOf(t, 'merchantAdmin', site)

let turn = 0

/** To the two processes by turns. */
const attack = (browser: Browser, to: Endpoint, file: Buffer, sent: Sent = {}): Promise<Reply> =>
  upload(site, browser, to, file, { ...sent, url: (apis[turn++ % apis.length] as Api).url })

/** Any other call, to the two by turns. */
const ask = ({ cookies }: Browser): Promise<Reply> =>
  send((apis[turn++ % apis.length] as Api).url, {
    path: userInfo.path,
    body: '{}',
    headers: {
      host: site.host,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      'x-forwarded-for': freshAddress(),
    },
  })

test('A34 every call that takes a file is covered', () => {
  const paths = allEndpoints.flatMap((endpoint) => (endpoint.upload ? [endpoint.path] : []))
  expect(uploads.map(({ path }) => path).sort()).toEqual(paths.sort())
})

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

/** How many pictures of the site are kept anywhere. */
async function keptHere(): Promise<number> {
  const query = `SELECT (SELECT count(*) FROM blob WHERE site_id = $1)::int
    + (SELECT count(*) FROM feedback_picture WHERE site_id = $1)::int AS kept`
  return (await t.deps.pool.query(query, [site.id])).rows[0].kept
}

test('A34 what is no JPEG, PNG or WebP, or too large, is refused with a message', async () => {
  const user = await uploader()
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
  const types = ['image/png', 'image/svg+xml', 'text/html']
  let sent = 0
  for (const [at, to] of uploads.entries()) {
    for (const [index, [what, file, code]] of cases.entries()) {
      // The short form declares one type a file, another one at each call.
      for (const type of types.filter((_, place) => few(1, 3) === 1 || place === (at + index) % 3)) {
        sent++
        const reply = await attack(user, to, file, { type })
        expect(`${to.path} ${what}: ${JSON.parse(reply.body).code}`).toBe(`${to.path} ${what}: ${code}`)
      }
    }
  }
  figure('hostile files sent', sent, ['>=', few(180, 60)])
  figure('of them kept', await keptHere(), ['=', 0])
})

/** Where an upload is shown afterwards, by what was answered. */
function shownAt(user: Browser & { id?: string }, reply: Reply): string {
  const { avatarTime, id, path } = dataOf<{ avatarTime?: number; id?: string; path?: string }>(reply)
  if (path) return path
  return id ? feedbackPicturePath(id) : avatarPath(user.id ?? '', avatarTime ?? 0)
}

test('A34 data appended to a picture is removed, and the response is a picture and nothing else', async () => {
  const user = await uploader()
  const photo = await sharp({ create: { width: 600, height: 400, channels: 3, background: '#5374fa' } })
    .withExif({ IFD0: { ImageDescription: '<script>alert(1)</script>', Copyright: 'GPS-SECRET' } })
    .jpeg()
    .toBuffer()
  const polyglot = Buffer.concat([photo, Buffer.from('<script>alert("polyglot")</script>PK\u0003\u0004')])
  for (const to of uploads) {
    const reply = await attack(user, to, polyglot, { type: 'text/html', name: '../../evil.html' })
    const { status, headers, body } = await user.get(shownAt(user, reply))
    expect(status, to.path).toBe(200)
    expect(headers, to.path).toMatchObject({
      'content-type': 'image/webp',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    })
    for (const trace of ['script', 'polyglot', 'GPS-SECRET', 'PK\u0003\u0004'])
      expect(body, to.path).not.toContain(trace)
  }
})

/** A /proc file of a process or thread; empty once it has ended. */
function readProc(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** What a process and its children hold, in megabytes; a page that several have is shared out among them. */
function heldBy(pid: number): number {
  const own = Number(/^Pss:\s+(\d+)/m.exec(readProc(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024
  const children = globSync(`/proc/${pid}/task/*/children`).flatMap((path) =>
    readProc(path).split(' ').filter(Boolean).map(Number),
  )
  return own + children.reduce((sum, child) => sum + heldBy(child), 0)
}

/** Accepted files that need the most memory, each in its own way. */
async function bombs(): Promise<Buffer[]> {
  const noise = Buffer.from(times(4000 * 3000, (index) => (index * 2_654_435_761) >>> 24))
  const photo = await sharp(noise, { raw: { width: 4000, height: 3000, channels: 1 } })
    .jpeg({ quality: 40 })
    .toBuffer()
  const coloured = sharp(photo).toColourspace('srgb')
  const wide = sharp({ create: { width: 4000, height: 4000, channels: 3, background: '#5374fa' } })
  const veiled = wide.clone().joinChannel(Buffer.concat([noise, noise.subarray(0, 4000 * 1000)]), {
    raw: { width: 4000, height: 4000, channels: 1 },
  })
  const made = await Promise.all([
    // Turned, so that it can't be drawn line by line.
    coloured.clone().withMetadata({ orientation: 6 }).jpeg({ quality: 40 }).toBuffer(),
    // In several runs over the whole picture, so that it can only be read whole.
    coloured.clone().jpeg({ quality: 40, progressive: true }).toBuffer(),
    wide.clone().jpeg({ progressive: true }).toBuffer(),
    wide.clone().resize(4000, 3000).png({ progressive: true }).toBuffer(),
    wide.clone().resize(3000, 3000).png({ progressive: true }).toBuffer(),
    wide.clone().ensureAlpha(0.5).png({ progressive: true }).toBuffer(),
    wide.clone().resize(4000, 3000).webp({ quality: 20 }).toBuffer(),
    // Long, so that much is drawn of it.
    wide.clone().resize(2300, 6900, { fit: 'fill' }).ensureAlpha(0.5).png().toBuffer(),
    // With transparency in every pixel, which is expensive to encode.
    veiled.webp({ quality: 20, alphaQuality: 10, effort: 0 }).toBuffer(),
  ])
  return [bomb(17_000), bomb(3_990), photo, ...made]
}

/** The most that each of them has held since, when it is asked to end. */
function watchMemory(): () => Promise<number[]> {
  const most = apis.map(() => 0)
  let going = true
  const watching = (async () => {
    while (going) {
      for (const [index, { pid }] of apis.entries()) most[index] = Math.max(most[index] ?? 0, heldBy(pid))
      await sleep(20)
    }
  })()
  return async () => {
    going = false
    await watching
    return most
  }
}

test('A34 fifty uploads at once: memory stays bounded and all other calls are answered', {
  timeout: 480_000,
}, async () => {
  const users = await together(50, 8, uploader)
  const files = await bombs()
  for (const { length } of files) expect(length).toBeLessThan(5 * 1024 * 1024)
  // New ones that have answered, and in which nothing was drawn: the process that draws counts from its first page on.
  await stopAll()
  apis = await startTwo()
  await Promise.all(users.flatMap((user) => times(10, () => ask(user))))
  const before = apis.map(({ pid }) => heldBy(pid))
  const watched = watchMemory()
  const answers: string[] = []
  for (let round = 0; round < few(4, 1); round++) {
    const replies = await Promise.all(
      users.map((user, index) => {
        const to = uploads[(index + round) % uploads.length] as Endpoint
        return attack(user, to, files[Math.floor(index / uploads.length + round) % files.length] as Buffer)
      }),
    )
    answers.push(...replies.map(({ status, body }) => `${status} ${JSON.parse(body).code ?? ''}`))
  }
  const grown = (await watched()).map((peak, index) => peak - (before[index] ?? 0))
  console.log(
    `A34: ${answers.length} uploads, 50 at once on two processes: ${JSON.stringify(tally(answers))}; memory of a process with its children +${Math.max(...grown).toFixed(0)} MB at most`,
  )
  expect(answers.every((answer) => /^(200|413|503) /.test(answer))).toBe(true)
  figure('uploads at once', users.length, ['=', 50])
  figure('growth of a process with its children', Math.max(...grown), ['<=', 150 * leeway], 'MB')
})
