import { request } from 'node:http'
import { crc32, deflateSync } from 'node:zlib'
import { avatarPath, avatarRules } from '@hufu/contract/avatar-rules'
import { removeDevice } from '@hufu/contract/devices'
import { changeAvatar, changeNickname, userInfo } from '@hufu/contract/profile'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { timeLimit } from '../../../../../tools/checks/time-limit.ts'
import { startTestApp, type TestApp, type TestBrowser, type TestSite, times } from '../../../test/test-app.ts'

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
})
afterAll(() => t.close())

const { side } = avatarRules

async function formOf(parts: Record<string, Buffer | string>, type = 'image/jpeg') {
  const form = new FormData()
  for (const [name, value] of Object.entries(parts))
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, new Blob([new Uint8Array(value)], { type }), '头像.jpg')
  const body = new Response(form)
  return { payload: Buffer.from(await body.arrayBuffer()), type: body.headers.get('content-type') ?? '' }
}

let calls = 0
/** Each from another address, as set by a trusted proxy. */
const address = () => `10.1.${Math.floor(++calls / 250)}.${calls % 250}`

async function send({ cookies }: TestBrowser, payload: Buffer | string, type: string, at = site) {
  const reply = await t.app.inject({
    method: 'POST',
    url: changeAvatar.path,
    headers: {
      host: at.host,
      'sec-fetch-site': 'same-origin',
      'content-type': type,
      'x-forwarded-for': address(),
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    },
    payload,
  })
  const { data, code, details } = reply.json()
  return { status: reply.statusCode, data, code, details }
}

async function upload(browser: TestBrowser, file: Buffer, type?: string) {
  const form = await formOf({ file }, type)
  return await send(browser, form.payload, form.type)
}

const look = (url: string, headers: Record<string, string> = {}, at = site) =>
  t.app.inject({ url, headers: { host: at.host, ...headers } })

const plain = (width: number, height: number, background = '#c81e1e') =>
  sharp({ create: { width, height, channels: 3, background } })

/** Left half red, right half blue. */
async function halves(width: number, height: number) {
  const blue = await plain(width / 2, height, '#0000ff')
    .png()
    .toBuffer()
  return plain(width, height, '#ff0000').composite([{ input: blue, left: width / 2, top: 0 }])
}

/** Red, green and blue of a pixel, roughly. */
async function pixel(picture: Buffer, left: number, top: number): Promise<string> {
  const [r = 0, g = 0, b = 0] = await sharp(picture)
    .extract({ left, top, width: 1, height: 1 })
    .removeAlpha()
    .raw()
    .toBuffer()
  const name = [r, g, b].map((value) => (value > 200 ? '1' : value < 60 ? '0' : '?')).join('')
  return { '100': 'red', '010': 'green', '001': 'blue' }[name] ?? `${r},${g},${b}`
}

async function kept(browser: TestBrowser & { id: string }, file: Buffer): Promise<Buffer> {
  const { status, data } = await upload(browser, file)
  expect(status).toBe(200)
  return (await look(avatarPath(browser.id, data.avatarTime))).rawPayload
}

test('S380 S382 D039 JPEG, PNG and WebP are kept as a square WebP without metadata, whatever they call themselves', async () => {
  const user = await t.signIn(site)
  const pictures = [
    await plain(900, 600).jpeg().toBuffer(),
    await plain(40, 1200).png().toBuffer(),
    await plain(300, 300).webp().toBuffer(),
  ]
  for (const picture of pictures) {
    const { status, data } = await upload(user, picture, 'text/html')
    expect(status).toBe(200)
    const info = (await user.call(userInfo)).data
    expect(info).toMatchObject({ avatar: true, avatarTime: data.avatarTime })
    const reply = await look(avatarPath(user.id, data.avatarTime))
    expect(reply.statusCode).toBe(200)
    expect(reply.headers['content-type']).toBe('image/webp')
    const { format, width, height, exif, icc, xmp } = await sharp(reply.rawPayload).metadata()
    expect({ format, width, height }).toEqual({ format: 'webp', width: side, height: side })
    expect([exif, icc, xmp]).toEqual([undefined, undefined, undefined])
  }
})

test('a picture is put upright by its EXIF, cut around its centre, and its place is forgotten', async () => {
  const user = await t.signIn(site)
  const gps = { IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '22/1 32/1 0/1' }, IFD0: { Copyright: 'secret place' } }
  // Orientation 6: the camera was held upright, so the left half of what was stored is the upper half of the picture.
  const turned = await (await halves(1200, 800)).withExif(gps).withMetadata({ orientation: 6 }).jpeg().toBuffer()
  expect(await sharp(turned).metadata()).toMatchObject({ orientation: 6, exif: expect.any(Buffer) })
  const picture = await kept(user, turned)
  expect(await pixel(picture, side / 2, 20)).toBe('red')
  expect(await pixel(picture, 20, 20)).toBe('red')
  expect(await pixel(picture, side / 2, side - 20)).toBe('blue')
  expect(await pixel(picture, 20, side - 20)).toBe('blue')
  expect((await sharp(picture).metadata()).exif).toBeUndefined()
  expect(picture.toString('latin1')).not.toMatch(/Exif|secret place/)
  // A wide one loses left and right alike.
  const wide = await kept(user, await (await halves(2000, 500)).png().toBuffer())
  expect([await pixel(wide, side / 2 - 20, 100), await pixel(wide, side / 2 + 20, 100)]).toEqual(['red', 'blue'])
})

test('of an animation the first picture is kept', async () => {
  const user = await t.signIn(site)
  const frames = await Promise.all(['#00ff00', '#0000ff'].map((color) => plain(300, 300, color).png().toBuffer()))
  const moving = await sharp(frames, { join: { animated: true } })
    .webp({ delay: [100, 100] })
    .toBuffer()
  expect((await sharp(moving).metadata()).pages).toBe(2)
  const picture = await kept(user, moving)
  expect(await pixel(picture, 100, 100)).toBe('green')
  expect((await sharp(picture).metadata()).pages).toBeUndefined()
})

test('a picture with a page behind it is re-encoded without the page', async () => {
  const user = await t.signIn(site)
  const page = '<html><script>alert(document.domain)</script></html>'
  const picture = await kept(user, Buffer.concat([await plain(600, 600).jpeg().toBuffer(), Buffer.from(page)]))
  expect(picture.toString('latin1')).not.toContain('script')
})

const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>'
const half = (file: Buffer) => file.subarray(0, Math.floor(file.length / 2))
const noise = () =>
  sharp({
    create: {
      width: 400,
      height: 400,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 30 },
    },
  })

test.each<[string, () => Buffer | Promise<Buffer>]>([
  ['SVG', () => Buffer.from(svg)],
  ['SVG after a declaration', () => Buffer.from(`<?xml version="1.0"?>${svg}`)],
  ['GIF', () => plain(90, 90).gif().toBuffer()],
  ['TIFF', () => plain(90, 90).tiff().toBuffer()],
  ['AVIF', () => plain(90, 90).avif().toBuffer()],
  ['a page', () => Buffer.from('<html><script>alert(1)</script></html>')],
  ['a page behind the first bytes of a GIF', () => Buffer.from('GIF89a/*<html>*/=1;alert(1)')],
  ['nothing', () => Buffer.alloc(0)],
  ['half a JPEG', async () => half(await noise().jpeg().toBuffer())],
  ['half a PNG', async () => half(await noise().png().toBuffer())],
  ['half a WebP', async () => half(await noise().webp().toBuffer())],
])('D039 %s is no picture', async (_title, make) => {
  const user = await t.signIn(site)
  expect(await upload(user, await make(), 'image/png')).toMatchObject({ status: 400, code: 'IMAGE_INVALID' })
  expect((await user.call(userInfo)).data?.avatar).toBe(false)
})

/** A black square, one bit a pixel: very large and yet very small. */
function blackPng(edge: number): Buffer {
  const chunk = (name: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(name), data])
    const numbers = Buffer.alloc(8)
    numbers.writeUInt32BE(data.length, 0)
    numbers.writeUInt32BE(crc32(named), 4)
    return Buffer.concat([numbers.subarray(0, 4), named, numbers.subarray(4)])
  }
  const head = Buffer.from('0000000000000000' + '0100000000', 'hex')
  head.writeUInt32BE(edge, 0)
  head.writeUInt32BE(edge, 4)
  const lines = deflateSync(Buffer.alloc(edge * (1 + Math.ceil(edge / 8))), { level: 1 })
  const start = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([start, chunk('IHDR', head), chunk('IDAT', lines), chunk('IEND', Buffer.alloc(0))])
}

test('D039 16 megapixels are taken and more are not, before anything is decoded', async () => {
  const user = await t.signIn(site)
  expect(await upload(user, blackPng(3000))).toMatchObject({ status: 200 })
  expect((await upload(user, await plain(4000, 4000).jpeg().toBuffer())).status).toBe(200)
  const tooLarge = { status: 413, code: 'IMAGE_TOO_LARGE' }
  expect(await upload(user, await plain(4000, 4001).jpeg().toBuffer())).toMatchObject(tooLarge)
  expect(await upload(user, await plain(16_001, 1_000).webp().toBuffer())).toMatchObject(tooLarge)
  const bomb = blackPng(17_000)
  const started = performance.now()
  expect(await upload(user, bomb)).toMatchObject(tooLarge)
  expect(performance.now() - started).toBeLessThan(timeLimit(1_000))
  // Interlaced with 16 bits a channel it could only be decoded as a whole, in 128 MB.
  const passes = await sharp({ create: { width: 4000, height: 4000, channels: 4, background: '#1238' } })
    .toColourspace('rgb16')
    .png({ progressive: true })
    .toBuffer()
  expect(await upload(user, passes)).toMatchObject(tooLarge)
})

test('D039 5 MB are taken and more are not', async () => {
  const user = await t.signIn(site)
  const small = await plain(600, 600).jpeg().toBuffer()
  const filled = (bytes: number) => Buffer.concat([small, Buffer.alloc(bytes - small.length)])
  expect((await upload(user, filled(avatarRules.bytes))).status).toBe(200)
  const tooLarge = { status: 413, code: 'IMAGE_TOO_LARGE' }
  expect(await upload(user, filled(avatarRules.bytes + 1))).toMatchObject(tooLarge)
  expect(await upload(user, filled(avatarRules.bytes * 2))).toMatchObject(tooLarge)
})

test('the upload takes a form with one file alone, and no other call takes a form', async () => {
  const user = await t.signIn(site)
  const file = await plain(60, 60).png().toBuffer()
  for (const type of ['application/json', 'text/plain', 'image/png', 'multipart/mixed; boundary=x']) {
    expect(await send(user, '{"file":"x"}', type), type).toMatchObject({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' })
  }
  const refused = { status: 400, code: 'INPUT_INVALID', details: { field: 'file' } }
  const text = await formOf({ file: 'not a file' })
  const other = await formOf({ picture: file })
  const { payload, type } = await formOf({ file })
  const boundary = type.split('boundary=')[1] ?? ''
  const part = `--${boundary}\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n`
  const twice = payload.subarray(0, payload.lastIndexOf(`--${boundary}--`))
  for (const [sent, as] of [
    [text.payload, text.type],
    [other.payload, other.type],
    [payload, 'multipart/form-data'],
    [payload, 'multipart/form-data; boundary=another'],
    [payload.subarray(0, payload.length - 10), type],
    [Buffer.from('{}'), type],
    [Buffer.concat([twice, payload]), type],
    [Buffer.concat([Buffer.from(part.repeat(50_000)), payload]), type],
  ] as const) {
    expect(await send(user, sent, as)).toMatchObject(refused)
  }
  expect((await user.call(userInfo)).data?.avatar).toBe(false)
  expect((await send(user, Buffer.concat([Buffer.from(part), payload]), type)).status).toBe(200)
  const elsewhere = await t.app.inject({
    method: 'POST',
    url: changeNickname.path,
    headers: { host: site.host, 'sec-fetch-site': 'same-origin', 'content-type': type },
    payload,
  })
  expect(elsewhere.statusCode).toBe(415)
})

test('uploads need a session and the own origin, and are for the own account alone', async () => {
  const { payload, type } = await formOf({ file: await plain(60, 60).png().toBuffer() })
  expect(await send(t.browser(site), payload, type)).toMatchObject({ status: 401, code: 'NOT_LOGGED_IN' })
  expect(await send(t.browser(site), '{}', 'application/json')).toMatchObject({ status: 401, code: 'NOT_LOGGED_IN' })
  const abroad = await t.codeSite()
  const user = await t.signIn(site)
  expect(await send(user, payload, type, abroad)).toMatchObject({ status: 401, code: 'NOT_LOGGED_IN' })
  const reply = await t.app.inject({
    method: 'POST',
    url: changeAvatar.path,
    headers: { host: site.host, 'sec-fetch-site': 'cross-site', 'content-type': type },
    payload,
  })
  expect(reply.json().code).toBe('ORIGIN_REFUSED')
})

test('S382 under its own time a picture may be kept for good, else it is asked after again', async () => {
  const user = await t.signIn(site)
  const { data } = await upload(user, await plain(600, 600).jpeg().toBuffer())
  const forGood = await look(avatarPath(user.id, data.avatarTime))
  expect(forGood.headers).toMatchObject({
    'cache-control': 'private, max-age=31536000, immutable',
    'content-length': String(forGood.rawPayload.length),
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
  })
  for (const url of [`/api/avatar?id=${user.id}`, avatarPath(user.id, data.avatarTime - 1), avatarPath(user.id, 0)]) {
    const reply = await look(url)
    expect(reply.statusCode).toBe(200)
    expect(reply.headers['cache-control']).toBe('no-cache')
    const again = await look(url, { 'if-none-match': String(reply.headers.etag) })
    expect([again.statusCode, again.body, again.headers['cache-control']]).toEqual([304, '', 'no-cache'])
  }
  const former = String(forGood.headers.etag)
  await upload(user, await plain(600, 600, '#00ff00').jpeg().toBuffer())
  expect((await look(`/api/avatar?id=${user.id}`, { 'if-none-match': former })).statusCode).toBe(200)
})

test('S382 no picture, an unknown user, one of another site and no id at all get the same answer', async () => {
  const bare = await t.signIn(site)
  const abroad = await t.codeSite()
  const foreign = await t.signIn(site)
  await upload(foreign, await plain(60, 60).png().toBuffer())
  expect((await look(avatarPath(foreign.id, 1))).statusCode).toBe(200)
  const replies = [
    await look(avatarPath(bare.id, 1)),
    await look(avatarPath(crypto.randomUUID(), 1)),
    await look(avatarPath(foreign.id, 1), {}, abroad),
    await look('/api/avatar'),
    await look('/api/avatar?id='),
    await look("/api/avatar?id='%20or%201=1"),
    await look(`/api/avatar?id=${bare.id}&id=${foreign.id}`),
  ]
  for (const { statusCode, body, headers } of replies) {
    expect([statusCode, body]).toEqual([404, replies[0]?.body])
    expect(headers['cache-control']).toBe('no-store')
  }
  expect(replies[0]?.json().code).toBe('NOT_FOUND')
})

test('uploads at once leave one picture, that of the info', async () => {
  const user = await t.signIn(site)
  const colors = ['#ff0000', '#00ff00', '#0000ff']
  const files = await Promise.all(colors.map((color) => plain(300, 300, color).png().toBuffer()))
  const answers = await Promise.all([...files, ...files].map((file) => upload(user, file)))
  expect(answers.map(({ status }) => status)).toEqual(times(6, () => 200))
  const { rows } = await t.deps.pool.query(
    'SELECT b.id = u.avatar_id AS shown FROM blob b JOIN users u ON u.id = b.owner_id WHERE b.owner_id = $1',
    [user.id],
  )
  expect(rows).toEqual([{ shown: true }])
  const time = (await user.call(userInfo)).data?.avatarTime
  expect(answers.map(({ data }) => data.avatarTime)).toContain(time)
})

test('of too many uploads at once the rest is turned away, and afterwards there is room again', async () => {
  const user = await t.signIn(site)
  const large = await noise().resize(3000, 3000).jpeg({ quality: 90 }).toBuffer()
  const { payload, type } = await formOf({
    file: Buffer.concat([large, Buffer.alloc(avatarRules.bytes - large.length)]),
  })
  const replies = await Promise.all(times(25, () => send(user, payload, type)))
  const codes = replies.map(({ status, code }) => code ?? status)
  expect(new Set(codes)).toEqual(new Set([200, 'SERVICE_BUSY']))
  expect(codes.filter((code) => code === 200).length).toBeLessThanOrEqual(6)
  expect((await send(user, payload, type)).status).toBe(200)
})

let origin: Promise<string> | undefined
const listening = () => {
  origin ??= t.app.listen({ port: 0, host: '127.0.0.1' })
  return origin
}

/** Sends the head and half of the body over a real connection; the rest is up to the test. */
async function begin({ cookies }: TestBrowser, payload: Buffer, type: string) {
  const call = request((await listening()) + changeAvatar.path, {
    method: 'POST',
    headers: {
      host: site.host,
      'sec-fetch-site': 'same-origin',
      'content-type': type,
      'content-length': payload.length,
      'x-forwarded-for': address(),
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    },
  })
  call.on('error', () => {})
  const status = new Promise((resolve) => call.once('response', (response) => resolve(response.statusCode)))
  await new Promise<void>((sent) => call.write(payload.subarray(0, payload.length / 2), () => sent()))
  return { call, status }
}

test('a caller who hangs up in the middle of an upload releases its memory', async () => {
  const user = await t.signIn(site)
  const { payload, type } = await formOf({ file: Buffer.alloc(avatarRules.bytes) })
  const small = await plain(60, 60).png().toBuffer()
  // More than the memory limit: once the first is refused, the others fill it.
  const begun = await Promise.all(times(9, () => begin(user, payload, type)))
  expect(await Promise.race(begun.map(({ status }) => status))).toBe(503)
  expect((await send(user, payload, type)).code).toBe('SERVICE_BUSY')
  for (const { call } of begun) call.destroy()
  await expect.poll(async () => (await send(user, payload, type)).code).toBe('IMAGE_INVALID')
  expect((await upload(user, small)).status).toBe(200)
})

test('a session that is removed while its upload arrives changes nothing', async () => {
  const user = await t.signIn(site)
  const { payload, type } = await formOf({ file: await plain(600, 600).png().toBuffer() })
  const { call, status } = await begin(user, payload, type)
  const own = { id: user.cookies.get('__Host-hufu')?.split('.')[1] ?? '' }
  expect((await user.call(removeDevice, own)).status).toBe(200)
  call.end(payload.subarray(payload.length / 2))
  expect(await status).toBe(401)
  const { rows } = await t.deps.pool.query('SELECT avatar_id FROM users WHERE id = $1', [user.id])
  expect(rows).toEqual([{ avatar_id: null }])
})
