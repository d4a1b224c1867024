import { randomUUID } from 'node:crypto'
import type { Endpoint } from '@hufu/contract/endpoint'
import {
  addPicture,
  addReplyPicture,
  type FeedbackEntry,
  type FeedbackPicture,
  listFeedback,
  readFeedback,
  readMerchantFeedback,
  replyFeedback,
  sendFeedback,
  setFeedbackStatus,
} from '@hufu/contract/feedback'
import { feedbackPicturePath, picturesADay, picturesMost, picturesOnly } from '@hufu/contract/feedback-rules'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { member } from '../../../test/account-user.ts'
import { newOperator } from '../../../test/operator.ts'
import { halves, look, plain, pointOf, upload } from '../../../test/pictures.ts'
import { startTestApp, type TestApp, type TestBrowser, type TestSite, times } from '../../../test/test-app.ts'
import { upkeep } from '../../worker.ts'

let t: TestApp
let site: TestSite
let abroad: TestSite
let operator: TestBrowser
let small: Buffer
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
  abroad = await t.codeSite()
  operator = await newOperator(t, site, ['READ', 'WRITE'])
  small = await plain(60, 40).png().toBuffer()
})
afterAll(() => t.close())

/** A picture that is attached to no message yet. */
async function loose(user: TestBrowser, by: Endpoint = addPicture, at = site, file = small): Promise<FeedbackPicture> {
  const { data, code } = await upload(t, at, user, by, file)
  if (!data) throw new Error(`the picture was refused: ${code}`)
  return data
}

const looseOf = async ({ id }: { id: string }): Promise<string[]> => {
  const query = 'SELECT id FROM feedback_picture WHERE author_id = $1 AND feedback_id IS NULL ORDER BY created_at'
  return (await t.deps.pool.query(query, [id])).rows.map((row) => row.id)
}

async function entriesOf(user: TestBrowser, id: string): Promise<FeedbackEntry[]> {
  return JSON.parse((await user.call(readFeedback, { id })).data?.content ?? '[]')
}

const open = (user: TestBrowser, id: string, headers?: Record<string, string>, at = site) =>
  look(t, at, user, feedbackPicturePath(id), headers)

test('a picture is stored whole as WebP within 1600 by 4800, never enlarged, and its size is returned', async () => {
  const user = await member(t, site)
  const cases: [Buffer, [number, number]][] = [
    [await plain(3200, 800).jpeg().toBuffer(), [1600, 400]],
    [await plain(900, 2000).png().toBuffer(), [900, 2000]],
    [await plain(1080, 6000).png().toBuffer(), [864, 4800]],
    [await plain(300, 200).webp().toBuffer(), [300, 200]],
  ]
  for (const [file, [width, height]] of cases) {
    const kept = await loose(user, addPicture, site, file)
    expect(kept).toEqual({ id: expect.any(String), width, height })
    const shown = (await open(user, kept.id)).rawPayload
    expect(await sharp(shown).metadata()).toMatchObject({ format: 'webp', width, height })
  }
})

test('a picture is put upright by its EXIF, and nothing but the pixels is kept', async () => {
  const user = await member(t, site)
  const exif = { IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '22/1 32/1 0/1' }, IFD0: { Copyright: 'secret place' } }
  // The camera was held upright: the left half of what was stored is the upper half of the picture.
  const turned = await (await halves(1200, 800)).withExif(exif).withMetadata({ orientation: 6 }).jpeg().toBuffer()
  const hiding = Buffer.concat([turned, Buffer.from('<script>alert(1)</script>')])
  const { id, width, height } = await loose(user, addPicture, site, hiding)
  expect([width, height]).toEqual([800, 1200])
  const shown = (await open(user, id)).rawPayload
  expect(await pointOf(shown, 400, 100)).toEqual([expect.toSatisfy((red) => red > 200), 0, 0, 255])
  expect((await pointOf(shown, 400, 1100))[2]).toBeGreaterThan(200)
  const { exif: kept, icc, xmp, orientation } = await sharp(shown).metadata()
  expect([kept, icc, xmp, orientation]).toEqual([undefined, undefined, undefined, undefined])
  expect(shown.toString('latin1')).not.toMatch(/Exif|secret place|script/)
})

test('what shines through comes to lie on white, so that it can be read on a dark page', async () => {
  const user = await member(t, site)
  const clear = sharp({ create: { width: 90, height: 90, channels: 4, background: '#0000' } })
  const { id } = await loose(user, addPicture, site, await clear.png().toBuffer())
  expect(await pointOf((await open(user, id)).rawPayload, 45, 45)).toEqual([255, 255, 255, 255])
})

test('a large picture is taken as cameras and pages make them; one that only takes room is not', async () => {
  const user = await member(t, site)
  const photo = plain(4000, 3000)
  const usual = await Promise.all([
    plain(4000, 4000).jpeg().toBuffer(),
    photo.clone().jpeg({ progressive: true }).toBuffer(),
    photo.clone().webp().toBuffer(),
    plain(1440, 3200).ensureAlpha().png().toBuffer(),
    plain(4000, 4000).ensureAlpha().png().toBuffer(),
  ])
  for (const file of usual) expect((await upload(t, site, user, addPicture, file)).status).toBe(200)
  const heavy = await Promise.all([
    photo.clone().jpeg({ progressive: true, chromaSubsampling: '4:4:4' }).toBuffer(),
    photo.clone().ensureAlpha().png({ progressive: true }).toBuffer(),
    plain(4000, 4000).webp().toBuffer(),
  ])
  for (const file of heavy) expect((await upload(t, site, user, addPicture, file)).code).toBe('IMAGE_TOO_LARGE')
})

test('what is no picture, too large, or comes from a caller who may not write is refused and not stored', async () => {
  const user = await member(t, site)
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
  const gif = await plain(90, 90).gif().toBuffer()
  for (const file of [svg, gif, small.subarray(0, 60), Buffer.alloc(0)])
    expect(await upload(t, site, user, addPicture, file)).toMatchObject({ status: 400, code: 'IMAGE_INVALID' })
  const wide = await plain(16_001, 1_000).png().toBuffer()
  expect(await upload(t, site, user, addPicture, wide)).toMatchObject({ status: 413, code: 'IMAGE_TOO_LARGE' })
  expect((await upload(t, site, user, addReplyPicture, small)).code).toBe('FORBIDDEN')
  const reader = await newOperator(t, site, ['READ'])
  expect((await upload(t, site, reader, addReplyPicture, small)).code).toBe('FORBIDDEN')
  for (const by of [addPicture, addReplyPicture])
    expect((await upload(t, site, t.browser(site), by, small)).code).toBe('NOT_LOGGED_IN')
  expect((await upload(t, abroad, user, addPicture, small)).code).toBe('NOT_LOGGED_IN')
  expect([await looseOf(user), await looseOf(reader)]).toEqual([[], []])
})

test('a conversation begins with pictures, goes on with them on both sides, and shows them in their order', async () => {
  const user = await member(t, site)
  const [first, second, third] = [await loose(user), await loose(user), await loose(user)]
  const begun = await user.call(sendFeedback, { message: ' ', pictures: [second.id, first.id] })
  const id = begun.data?.id ?? ''
  expect(begun.data).toEqual({ id, seq: 1, status: 0 })
  await user.call(sendFeedback, { id, message: '还有一张', pictures: [third.id] })
  const answer = await loose(operator, addReplyPicture)
  await operator.call(replyFeedback, { id, message: '', pictures: [answer.id] })
  await operator.call(replyFeedback, { id, message: '没有图', pictures: [] })
  const expected = [
    { seq: 1, role: 'user', message: picturesOnly, pictures: [second, first] },
    { seq: 2, role: 'user', message: '还有一张', pictures: [third] },
    { seq: 3, role: 'merchant', message: picturesOnly, pictures: [answer] },
    { seq: 4, role: 'merchant', message: '没有图' },
  ]
  const timed = expected.map((entry) => ({ ...entry, time: expect.any(Number) }))
  expect(await entriesOf(user, id)).toEqual(timed)
  expect(JSON.parse((await operator.call(readMerchantFeedback, { id })).data?.content ?? '[]')).toEqual(timed)
  expect((await user.call(listFeedback)).data?.data).toMatchObject([{ id, userTexts: 1, merchantTexts: 1 }])
  expect(await looseOf(user)).toEqual([])
})

test('S288 S289 messages of nothing but pictures close nothing by force; all else is as with words', async () => {
  const user = await member(t, site)
  const begun = await user.call(sendFeedback, { message: '', pictures: [(await loose(user)).id] })
  const id = begun.data?.id ?? ''
  const close = () => operator.call(setFeedbackStatus, { id, status: 4 })
  const answer = await loose(operator, addReplyPicture)
  await operator.call(replyFeedback, { id, message: '', pictures: [answer.id] })
  const sent = await user.call(sendFeedback, { id, message: '', pictures: [(await loose(user)).id] })
  expect(sent.data).toEqual({ id, seq: 3, status: 1 })
  const [item] = (await user.call(listFeedback, { brief: true })).data?.data ?? []
  expect(item).toMatchObject({ id, userTexts: 0, merchantTexts: 0, waitingSince: expect.any(Number) })
  expect(JSON.parse(item?.content ?? '')).toMatchObject([{ seq: 3, message: picturesOnly, time: item?.time }])
  expect((await close()).code).toBe('FEEDBACK_STATUS_CONFLICT')
  // Text is text, also where a user types what a list shows for pictures.
  await user.call(sendFeedback, { id, message: '看不清吗' })
  await user.call(sendFeedback, { id, message: picturesOnly })
  expect((await close()).code).toBe('FEEDBACK_STATUS_CONFLICT')
  await operator.call(replyFeedback, { id, message: '收到', pictures: [] })
  expect((await close()).data?.status).toBe(4)
})

test('a message is blank without pictures, and carries no more than six', async () => {
  const user = await member(t, site)
  for (const pictures of [undefined, []])
    expect(await user.call(sendFeedback, { message: ' \n', pictures })).toMatchObject({
      code: 'INPUT_INVALID',
      details: { field: 'message' },
    })
  const many = await Promise.all(times(picturesMost + 1, () => loose(user)))
  const ids = many.map(({ id }) => id)
  expect((await user.call(sendFeedback, { message: '多', pictures: ids })).code).toBe('INPUT_INVALID')
  expect((await user.call(sendFeedback, { message: '多', pictures: ids.slice(1) })).status).toBe(200)
  expect(await looseOf(user)).toEqual([ids[0]])
})

test('a picture of another user, one that is used, named twice or gone sends nothing', async () => {
  const user = await member(t, site)
  const other = await member(t, site)
  const own = await loose(user)
  const used = await loose(user)
  const id = (await user.call(sendFeedback, { message: '一', pictures: [used.id] })).data?.id ?? ''
  const foreign = await member(t, abroad)
  const wrong = [
    (await loose(other)).id,
    (await loose(operator, addReplyPicture)).id,
    (await loose(foreign, addPicture, abroad)).id,
    used.id,
    own.id,
    randomUUID(),
  ]
  for (const picture of wrong) {
    const pictures = [own.id, picture]
    for (const into of [id, undefined])
      expect(await user.call(sendFeedback, { id: into, message: '二', pictures })).toMatchObject({
        status: 409,
        code: 'PICTURE_GONE',
      })
    expect((await operator.call(replyFeedback, { id, message: '答', pictures })).code).toBe('PICTURE_GONE')
  }
  expect(await looseOf(user)).toEqual([own.id])
  expect((await user.call(listFeedback)).data).toMatchObject({ count: 1, data: [{ id, lastSeq: 1, status: 0 }] })
  expect((await user.call(sendFeedback, { id, message: '三', pictures: [own.id] })).data?.seq).toBe(2)
})

test('a closed conversation takes no picture up', async () => {
  const user = await member(t, site)
  const id = (await user.call(sendFeedback, { message: '一' })).data?.id ?? ''
  await user.call(sendFeedback, { id, message: '二' })
  await operator.call(replyFeedback, { id, message: '答' })
  await operator.call(setFeedbackStatus, { id, status: 4 })
  const { id: picture } = await loose(user)
  expect((await user.call(sendFeedback, { id, message: '', pictures: [picture] })).code).toBe('FEEDBACK_CLOSED')
  expect(await looseOf(user)).toEqual([picture])
})

test('the same key again adds nothing and takes nothing up', async () => {
  const user = await member(t, site)
  const [first, second] = [await loose(user), await loose(user)]
  const key = randomUUID()
  const begun = await user.call(sendFeedback, { message: '', pictures: [first.id], key })
  for (const pictures of [[first.id], [second.id], undefined])
    expect((await user.call(sendFeedback, { message: '又', pictures, key })).data).toEqual(begun.data)
  const id = begun.data?.id ?? ''
  const again = randomUUID()
  const replies = await Promise.all(
    times(10, () => user.call(sendFeedback, { id, message: '', pictures: [second.id], key: again })),
  )
  expect(replies.map(({ data }) => data?.seq)).toEqual(times(10, () => 2))
  const entries = await entriesOf(user, id)
  expect(entries.map(({ pictures }) => pictures)).toEqual([[first], [second]])
})

test('of many messages with the same picture at once exactly one is sent', async () => {
  const user = await member(t, site)
  const [one, two] = [await loose(user), await loose(user)]
  const replies = await Promise.all(
    times(12, (index) => {
      const pictures = index % 2 === 0 ? [one.id, two.id] : [two.id, one.id]
      return user.call(sendFeedback, { message: `第 ${index} 条`, pictures })
    }),
  )
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(replies.filter(({ code }) => code === 'PICTURE_GONE')).toHaveLength(11)
  expect((await user.call(listFeedback)).data?.count).toBe(1)
})

test('a picture is shown to the user of its conversation and to operators, and to its author alone before', async () => {
  const user = await member(t, site)
  const { id } = await loose(user)
  const other = await member(t, site)
  const writer = await newOperator(t, site, ['WRITE'])
  const reader = await newOperator(t, site, ['READ'])
  const statuses = async (picture: string) => {
    const replies = await Promise.all([user, reader, other, writer].map((browser) => open(browser, picture)))
    return replies.map(({ statusCode }) => statusCode)
  }
  expect(await statuses(id)).toEqual([200, 404, 404, 404])
  const talk = (await user.call(sendFeedback, { message: '', pictures: [id] })).data?.id ?? ''
  expect(await statuses(id)).toEqual([200, 200, 404, 404])
  const answer = await loose(operator, addReplyPicture)
  expect(await statuses(answer.id)).toEqual([404, 404, 404, 404])
  await operator.call(replyFeedback, { id: talk, message: '', pictures: [answer.id] })
  expect(await statuses(answer.id)).toEqual([200, 200, 404, 404])
})

test('a picture comes with harmless headers, to be kept by this browser for an hour', async () => {
  const user = await member(t, site)
  const { id } = await loose(user)
  const reply = await open(user, id)
  expect(reply.headers).toMatchObject({
    'content-type': 'image/webp',
    'cache-control': 'private, max-age=3600',
    etag: `"${id}"`,
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'content-length': String(reply.rawPayload.length),
  })
})

test('who has a picture and may still see it gets no bytes again; who may not learns nothing by knowing it', async () => {
  const user = await member(t, site)
  const { id } = await loose(user)
  const other = (await loose(user)).id
  const having = { 'sec-fetch-site': 'same-origin', 'if-none-match': `"${id}"` }
  const again = await open(user, id, having)
  expect([again.statusCode, again.body, again.headers['cache-control']]).toEqual([304, '', 'private, max-age=3600'])
  expect((await open(user, other, having)).statusCode).toBe(200)
  const strange = await open(await member(t, site), id, having)
  expect([strange.statusCode, strange.json().code, strange.headers.etag]).toEqual([404, 'NOT_FOUND', undefined])
  expect((await open(t.browser(site), id, having)).statusCode).toBe(401)
  await t.deps.pool.query('DELETE FROM feedback_picture WHERE id = $1', [id])
  expect((await open(user, id, having)).statusCode).toBe(404)
})

test('another user’s picture, one of another site, a wrong id and none get the same uncached answer', async () => {
  const user = await member(t, site)
  const other = await member(t, site)
  const foreign = await member(t, abroad)
  const theirs = await loose(other)
  await other.call(sendFeedback, { message: '', pictures: [theirs.id] })
  const elsewhere = await loose(foreign, addPicture, abroad)
  const replies = [
    await open(user, theirs.id),
    await open(user, elsewhere.id),
    await open(operator, elsewhere.id),
    await open(foreign, theirs.id, undefined, abroad),
    await open(user, randomUUID()),
    await open(user, user.id),
    await open(user, "'%20or%201=1"),
    await look(t, site, user, '/api/feedback/picture'),
    await open(user, `${theirs.id}&id=${randomUUID()}`),
  ]
  for (const { statusCode, body, headers } of replies) {
    expect([statusCode, body]).toEqual([404, replies[0]?.body])
    expect(headers['cache-control']).toBe('no-store')
  }
})

test('a picture is not shown to a signed-out browser, nor to pages of others', async () => {
  const user = await member(t, site)
  const { id } = await loose(user)
  const out = await open(t.browser(site), id)
  expect([out.statusCode, out.json().code]).toEqual([401, 'NOT_LOGGED_IN'])
  const foreign = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { referer: 'https://evil.example/' },
    {},
  ]
  for (const headers of foreign) expect((await open(user, id, headers)).json().code).toBe('ORIGIN_REFUSED')
  // A browser that is too old to say where it was asked says at least by which page.
  expect((await open(user, id, { referer: `${site.origin}/` })).statusCode).toBe(200)
})

/** So many of theirs exist already, uploaded so long ago. */
async function handedOver({ id }: { id: string }, count: number, ago: string, at = site): Promise<void> {
  await t.deps.pool.query(
    `INSERT INTO feedback_picture (site_id, id, author_id, width, height, bytes, created_at)
     SELECT $1, gen_random_uuid(), $2, 1, 1, 'x', clock_timestamp() - $4::interval FROM generate_series(1, $3)`,
    [at.id, id, count, ago],
  )
}

test('so many pictures a day may be handed over by the clock of the store, sent or not', async () => {
  const user = await member(t, site)
  const other = await member(t, site)
  await handedOver(user, 500, '24 hours')
  await handedOver(user, picturesADay.user - 2, '23 hours 59 minutes')
  await handedOver(user, 100, '1 minute', abroad)
  const sent = await loose(user)
  await user.call(sendFeedback, { message: '', pictures: [sent.id] })
  await loose(user)
  const refused = await upload(t, site, user, addPicture, small)
  expect(refused).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS' })
  expect(refused.details.retryAfter).toBeGreaterThan(0)
  expect(refused.details.retryAfter).toBeLessThanOrEqual(60)
  // Nothing is decoded for it: what is no picture at all is refused alike.
  expect((await upload(t, site, user, addPicture, Buffer.from('x'))).code).toBe('TOO_MANY_REQUESTS')
  expect((await upload(t, site, other, addPicture, small)).status).toBe(200)
  await t.deps.pool.query(
    "UPDATE feedback_picture SET created_at = created_at - interval '1 minute' WHERE author_id = $1",
    [user.id],
  )
  expect((await upload(t, site, user, addPicture, small)).status).toBe(200)
})

test('of many handed over at once no more are kept than a day allows', async () => {
  const user = await member(t, site)
  await handedOver(user, picturesADay.user - 3, '1 hour')
  const replies = await Promise.all(times(10, () => upload(t, site, user, addPicture, small)))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(3)
  expect(replies.filter(({ code }) => code === 'TOO_MANY_REQUESTS')).toHaveLength(7)
  expect(await looseOf(user)).toHaveLength(picturesADay.user)
})

test('an operator who replies for the merchant may upload more a day', async () => {
  const writer = await newOperator(t, site, ['READ', 'WRITE'])
  const reader = await newOperator(t, site, ['READ'])
  for (const each of [writer, reader]) await handedOver(each, picturesADay.merchant - 1, '1 hour')
  expect((await upload(t, site, reader, addPicture, small)).code).toBe('TOO_MANY_REQUESTS')
  expect((await upload(t, site, writer, addReplyPicture, small)).status).toBe(200)
  expect((await upload(t, site, writer, addReplyPicture, small)).code).toBe('TOO_MANY_REQUESTS')
})

test('upkeep drops what was not sent within a day, and nothing else', async () => {
  const user = await member(t, site)
  const [old, young, sent] = [await loose(user), await loose(user), await loose(user)]
  await user.call(sendFeedback, { message: '', pictures: [sent.id] })
  const age = (id: string, time: string) =>
    t.deps.pool.query('UPDATE feedback_picture SET created_at = created_at - $2::interval WHERE id = $1', [id, time])
  await Promise.all([age(old.id, '24 hours'), age(young.id, '23 hours 50 minutes'), age(sent.id, '400 days')])
  await upkeep(t.deps.pool).run({})
  expect(await looseOf(user)).toEqual([young.id])
  expect((await open(user, sent.id)).statusCode).toBe(200)
})

test('one address may look so often in a minute, signed in or not', { timeout: 30_000 }, async () => {
  const headers = { 'sec-fetch-site': 'same-origin', 'x-forwarded-for': '203.0.113.90' }
  const ask = async () => (await open(t.browser(site), randomUUID(), headers)).json().code
  for (const _ of times(24, () => 0))
    expect(new Set(await Promise.all(times(50, ask)))).toEqual(new Set(['NOT_LOGGED_IN']))
  expect(await ask()).toBe('TOO_MANY_REQUESTS')
})
