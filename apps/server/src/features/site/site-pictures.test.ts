import { randomUUID } from 'node:crypto'
import type { Endpoint } from '@hufu/contract/endpoint'
import { addBackground, addLogo, openConfig, updateConfig } from '@hufu/contract/merchant-config'
import { queryOperatorLog } from '@hufu/contract/operators'
import { pictureSizes, sitePicturePath } from '@hufu/contract/picture-rules'
import { changeAvatar } from '@hufu/contract/profile'
import { meta } from '@hufu/contract/site'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { member } from '../../../test/account-user.ts'
import { newOperator, type Operator, recordsOf } from '../../../test/operator.ts'
import { halves, look, plain, pointOf, upload } from '../../../test/pictures.ts'
import { lockedOut } from '../../../test/race.ts'
import { startTestApp, type TestApp, type TestSite, times } from '../../../test/test-app.ts'
import type { SiteId } from '../../platform/ids.ts'
import { upkeep } from '../../worker.ts'
import { requirePictures } from './named-pictures.ts'

let t: TestApp
let site: TestSite
let admin: Operator
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
  admin = await newOperator(t, site, ['READ', 'WRITE', 'ADMIN'])
})
afterAll(() => t.close())

async function kept(by: Endpoint, file: Buffer): Promise<string> {
  const { data, code } = await upload(t, site, admin, by, file)
  if (!data) throw new Error(`the picture was refused: ${code}`)
  return data.path
}

/** As any browser asks for it, whatever page it stands in. */
const show = (path: string, at = site) => look(t, at, t.browser(at), path, {})
const idOf = (path: string) => path.split('id=')[1] ?? ''
const small = () => plain(60, 40).png().toBuffer()

test('logos and backgrounds are kept whole as WebP, each within its size, never larger than they came', async () => {
  const cases: [Endpoint, Buffer, [number, number]][] = [
    [addLogo, await plain(3200, 800).png().toBuffer(), [800, 200]],
    [addLogo, await plain(500, 1000).webp().toBuffer(), [200, 400]],
    [addLogo, await plain(120, 90).jpeg().toBuffer(), [120, 90]],
    [addBackground, await plain(5120, 1280).jpeg().toBuffer(), [pictureSizes.background.width, 640]],
    [addBackground, await plain(1920, 1080).jpeg().toBuffer(), [1920, 1080]],
  ]
  for (const [by, file, [width, height]] of cases) {
    const { rawPayload } = await show(await kept(by, file))
    expect(await sharp(rawPayload).metadata()).toMatchObject({ format: 'webp', width, height })
  }
})

test('a transparent logo stays transparent', async () => {
  const mark = await plain(100, 100, '#5374fa').png().toBuffer()
  const logo = await sharp({ create: { width: 1600, height: 400, channels: 4, background: '#0000' } })
    .composite([{ input: mark, left: 0, top: 0 }])
    .png()
    .toBuffer()
  const { rawPayload } = await show(await kept(addLogo, logo))
  expect((await sharp(rawPayload).metadata()).hasAlpha).toBe(true)
  expect((await pointOf(rawPayload, 400, 100))[3]).toBe(0)
  expect((await pointOf(rawPayload, 25, 25))[3]).toBe(255)
})

test('a photo is put upright, and nothing but the pixels is kept', async () => {
  const exif = { IFD0: { Copyright: 'secret place' } }
  const turned = await (await halves(1200, 800)).withExif(exif).withMetadata({ orientation: 6 }).jpeg().toBuffer()
  const { rawPayload } = await show(await kept(addBackground, turned))
  const { width, height, exif: left, orientation } = await sharp(rawPayload).metadata()
  expect([width, height, left, orientation]).toEqual([800, 1200, undefined, undefined])
  expect(rawPayload.toString('latin1')).not.toMatch(/Exif|secret place/)
  expect((await pointOf(rawPayload, 400, 100))[0]).toBeGreaterThan(200)
})

test('only who may save the config hands pictures over, and only pictures', async () => {
  const file = await small()
  const writer = await newOperator(t, site, ['READ', 'WRITE'])
  const abroad = await t.codeSite()
  for (const by of [addLogo, addBackground]) {
    expect((await upload(t, site, t.browser(site), by, file)).code).toBe('NOT_LOGGED_IN')
    expect((await upload(t, site, await member(t, site), by, file)).code).toBe('FORBIDDEN')
    expect((await upload(t, site, writer, by, file)).code).toBe('FORBIDDEN')
    expect((await upload(t, abroad, admin, by, file)).code).toBe('NOT_LOGGED_IN')
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    for (const no of [svg, await plain(90, 90).gif().toBuffer(), file.subarray(0, 60)])
      expect((await upload(t, site, admin, by, no)).code).toBe('IMAGE_INVALID')
    const wide = await plain(16_001, 1_000).png().toBuffer()
    expect((await upload(t, site, admin, by, wide)).code).toBe('IMAGE_TOO_LARGE')
  }
})

test('a picture is on record with who uploaded it, and belongs to no user', async () => {
  const own = await newOperator(t, site, ['READ', 'ADMIN'])
  const { data } = await upload(t, site, own, addLogo, await small())
  const target = idOf(data.path)
  expect(data.path).toBe(sitePicturePath(target))
  expect(await recordsOf(t, site, own.id)).toEqual([
    { operator: own.id, action: 'config.picture', target, detail: { use: 'logo' } },
  ])
  expect((await own.call(queryOperatorLog, { operator: own.id })).data?.data).toMatchObject([
    { action: 'config.picture' },
  ])
  const { rows } = await t.deps.pool.query('SELECT owner_id, kind FROM blob WHERE id = $1', [target])
  expect(rows).toEqual([{ owner_id: null, kind: 'site-picture' }])
})

test('the config names it, and it is public and cached for good', async () => {
  const path = await kept(addLogo, await small())
  const { data } = await admin.call(openConfig, {})
  const saved = await admin.call(updateConfig, { config: { ...data?.config, logoImage: path, bg: path } })
  expect(saved.status).toBe(200)
  expect((await t.call(site, meta)).data).toMatchObject({ logoImage: path, bg: path })
  const reply = await show(path)
  expect(reply.statusCode).toBe(200)
  expect(reply.headers).toMatchObject({
    'content-type': 'image/webp',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
  })
})

test('what the present config names needs no store and no count after the first look; what it names no more does', async () => {
  const [first, second] = [await kept(addLogo, await small()), await kept(addLogo, await small())]
  const { data } = await admin.call(openConfig, {})
  const name = async (logoIcon: string) => {
    await admin.call(updateConfig, { config: { ...data?.config, logoIcon } })
    await t.deps.sites.refresh()
  }
  await name(first)
  const shown = [await show(first), await show(second)]
  await t.deps.pool.query('DELETE FROM blob WHERE id = ANY($1)', [[first, second].map(idOf)])
  expect((await show(first)).rawPayload).toEqual(shown[0]?.rawPayload)
  expect((await show(first, await t.codeSite({ logoIcon: first }))).statusCode).toBe(404)
  expect((await show(second)).statusCode).toBe(404)
  await name(await kept(addLogo, await small()))
  expect((await show(first)).statusCode).toBe(404)
})

test('an avatar, an archive, another site’s picture, a wrong id and none get the same answer', async () => {
  const user = await member(t, site)
  await upload(t, site, user, changeAvatar, await small())
  const { rows } = await t.deps.pool.query('SELECT id FROM blob WHERE owner_id = $1', [user.id])
  const archive = randomUUID()
  await t.deps.pool.query(
    "INSERT INTO blob (site_id, id, owner_id, kind, type, bytes) VALUES ($1, $2, $3, 'export', 'application/zip', 'PK')",
    [site.id, archive, user.id],
  )
  const path = await kept(addBackground, await small())
  expect((await show(path)).statusCode).toBe(200)
  const replies = [
    await show(sitePicturePath(rows[0].id)),
    await show(sitePicturePath(archive)),
    await show(path, await t.codeSite()),
    await show(sitePicturePath(randomUUID())),
    await show(sitePicturePath('..%2F..%2Fetc%2Fpasswd')),
    await show('/api/site/picture'),
    await show(`${path}&id=${randomUUID()}`),
  ]
  for (const { statusCode, body, headers } of replies) {
    expect([statusCode, body]).toEqual([404, replies[0]?.body])
    expect(headers['cache-control']).toBe('no-store')
  }
})

test('upkeep drops what no version of the config named within a week, and nothing else', async () => {
  const paths = await Promise.all(times(4, async () => await kept(addLogo, await small())))
  const [present = '', former = '', unnamed = '', young = ''] = paths
  const config = (await admin.call(openConfig, {})).data?.config
  await admin.call(updateConfig, { config: { ...config, logoImage: former } })
  await admin.call(updateConfig, { config: { ...config, logoImage: present } })
  const user = await member(t, site)
  await upload(t, site, user, changeAvatar, await small())
  const age = (where: string, time: string, values: string[]) =>
    t.deps.pool.query(`UPDATE blob SET created_at = created_at - interval '${time}' WHERE ${where}`, values)
  await age('id = ANY($1)', '7 days', [[present, former, unnamed].map(idOf) as never])
  await age('id = $1', '6 days 23 hours', [idOf(young)])
  await age('owner_id = $1', '400 days', [user.id])
  // Another site that names it keeps nothing here.
  await t.site({ logoImage: unnamed })
  await upkeep(t.deps.pool).run({})
  const left = await Promise.all(paths.map(async (path) => (await show(path)).statusCode))
  expect(left).toEqual([200, 200, 404, 200])
  const { rows } = await t.deps.pool.query('SELECT kind FROM blob WHERE owner_id = $1', [user.id])
  expect(rows).toEqual([{ kind: 'avatar' }])
})

test('a config that names a picture which is gone or of another site is not saved, and says where', async () => {
  const path = await kept(addLogo, await small())
  const config = (await admin.call(openConfig, {})).data?.config
  const abroad = await t.codeSite()
  const theirs = await newOperator(t, abroad, ['READ', 'WRITE', 'ADMIN'])
  const foreign = (await upload(t, abroad, theirs, addLogo, await small())).data.path
  for (const gone of [sitePicturePath(randomUUID()), foreign])
    expect(await admin.call(updateConfig, { config: { ...config, logoImage: path, vbg: gone } })).toMatchObject({
      status: 400,
      code: 'INPUT_INVALID',
      details: { field: 'vbg', reason: '图片不存在或已过期，请重新上传' },
    })
  expect((await admin.call(openConfig, {})).data?.config).toEqual(config)
  expect((await admin.call(updateConfig, { config: { ...config, logoImage: path, vbg: path } })).status).toBe(200)
})

test('D343 a client whose logo is an own picture is saved while there is one', async () => {
  const { data } = await admin.call(openConfig, {})
  const save = async (logo: string) => {
    const client = {
      id: 'old',
      name: '旧书店',
      secret: 'the-old-secret-of-2026',
      returns: ['https://old.example.com/cb'],
      logo,
    }
    return await admin.call(updateConfig, { config: { ...data?.config, clients: [client] } })
  }
  expect(await save(sitePicturePath(randomUUID()))).toMatchObject({
    code: 'INPUT_INVALID',
    details: { field: 'clients.0.logo', reason: '图片不存在或已过期，请重新上传' },
  })
  const path = await kept(addLogo, await small())
  await t.deps.pool.query("UPDATE blob SET created_at = created_at - interval '8 days' WHERE id = $1", [idOf(path)])
  expect((await save(path)).status).toBe(200)
  await upkeep(t.deps.pool).run({})
  expect((await show(path)).statusCode).toBe(200)
})

test('an old picture that is being named while upkeep drops old ones stays', async () => {
  const path = await kept(addLogo, await small())
  await t.deps.pool.query("UPDATE blob SET created_at = created_at - interval '8 days' WHERE id = $1", [idOf(path)])
  let dropping: Promise<void> | undefined
  await t.deps.db.transaction().execute(async (tx) => {
    await requirePictures(tx, site.id as SiteId, {}, { logoImage: path })
    dropping = upkeep(t.deps.pool).run({})
    // Upkeep comes to it meanwhile and waits for this to end.
    await lockedOut(t.deps.pool, 1)
  })
  await dropping
  expect((await show(path)).statusCode).toBe(200)
})

test('one address may look so often in a minute', { timeout: 30_000 }, async () => {
  const headers = { 'x-forwarded-for': '203.0.113.91' }
  const ask = async () => (await look(t, site, t.browser(site), sitePicturePath('x'), headers)).json().code
  for (const _ of times(24, () => 0)) expect(new Set(await Promise.all(times(50, ask)))).toEqual(new Set(['NOT_FOUND']))
  expect(await ask()).toBe('TOO_MANY_REQUESTS')
})
