import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTemporaryFolder } from '../../../../tools/run/temporary-folder.ts'
import { startTestApp, type TestApp, type TestSite, times } from '../../test/test-app.ts'

let t: TestApp
let folder: string
beforeAll(async () => {
  folder = makeTemporaryFolder('web')
  mkdirSync(join(folder, 'assets'))
  writeFileSync(
    join(folder, 'index.html'),
    '<!doctype html><html lang="zh-CN"><title>{{name}}</title><link rel="icon" href="{{icon}}">',
  )
  writeFileSync(join(folder, 'assets/app-1a2b.js'), 'run()')
  writeFileSync(join(folder, 'assets/app-1a2b.js.gz'), gzipSync('run()'))
  writeFileSync(join(folder, 'favicon.svg'), '<svg/>')
  t = await startTestApp({ HUFU_WEB_FOLDER: folder })
})
afterAll(async () => {
  await t.close()
  rmSync(folder, { recursive: true })
})

const get = (site: TestSite, url: string, headers = {}) =>
  t.app.inject({ url, headers: { host: site.host, ...headers } })

test('the document carries the brand of its site, and markup in a name stays text', async () => {
  const site = await t.site({
    name: `"><script>alert(1)</script>$&`,
    theme: { primary: '#e60012' },
    logoIcon: '/icon.png',
  })
  const { body, headers } = await get(site, '/')
  expect(body).toContain('data-primary="#e60012"')
  expect(body).toContain('data-logo="/icon.png"')
  expect(body).not.toContain('<script>alert')
  expect(body).toContain('<title>&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;$&amp;</title>')
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
})

test('documents forbid foreign scripts, frames and sniffing; pictures come from configured hosts alone', async () => {
  const site = await t.site({ bg: 'https://cdn.example.com/bg.jpg', logoIcon: 'https://img.example.net/i.png' })
  const { headers } = await get(site, '/user/theme')
  const policy = String(headers['content-security-policy'])
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("script-src 'self';")
  expect(policy).toContain("img-src 'self' data: blob: https://cdn.example.com https://img.example.net;")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toMatch(/unsafe|\*/)
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin',
    'strict-transport-security': expect.stringContaining('max-age=31536000'),
  })
})

test('files run nothing and are never asked for in the clear; an unknown host gets no HSTS header', async () => {
  const site = await t.site({ files: { 'proof.txt': 'x' } })
  for (const path of ['/favicon.svg', '/proof.txt'])
    expect((await get(site, path)).headers, path).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
    })
  const { headers } = await get({ ...site, host: 'unknown.example.com' }, '/')
  expect(headers).not.toHaveProperty('strict-transport-security')
})

test('the preview is framed by its own site alone, makes no calls and shows pictures from any origin', async () => {
  const site = await t.site({ bg: 'https://cdn.example.com/bg.jpg' })
  const { headers, statusCode } = await get(site, '/merchant/preview?x=1')
  const policy = String(headers['content-security-policy']).split('; ')
  expect(statusCode).toBe(200)
  expect(policy.toSorted()).toEqual(
    [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "font-src 'self'",
      "manifest-src 'self'",
      "base-uri 'none'",
      "img-src 'self' data: blob: https:",
      "connect-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
    ].toSorted(),
  )
  expect(headers['x-frame-options']).toBe('SAMEORIGIN')
})

test.each(['/', '/login', '/merchant/config', '/merchant/preview/', '/merchant/previews', '/user/none'])(
  '%s cannot be framed, by its own site neither',
  async (path) => {
    const { headers } = await get(await t.site(), path)
    const policy = String(headers['content-security-policy']).split('; ')
    expect(policy).toEqual(
      expect.arrayContaining([
        "frame-ancestors 'none'",
        "connect-src 'self'",
        "img-src 'self' data: blob:",
        "form-action 'self'",
        "frame-src 'self'",
      ]),
    )
    expect(headers['x-frame-options']).toBe('DENY')
  },
)

test('every page of the specification is a document; any other path is one with 404', async () => {
  const site = await t.site()
  for (const path of [
    '/',
    '/login',
    '/login/%2Fuser',
    '/loginApprove/a/1/1.2.3.4',
    '/user/feedback/x',
    '/merchant/config',
    '/user/?a=b',
  ]) {
    expect((await get(site, path)).statusCode, path).toBe(200)
  }
  for (const path of ['/wp-login.php', '/user/none', '/index.html', '/assets/none.js', '/../etc/passwd']) {
    expect((await get(site, path)).statusCode, path).toBe(404)
  }
  expect((await t.app.inject({ method: 'POST', url: '/user', headers: { host: site.host } })).statusCode).toBe(405)
})

test('a path that can not be decoded is answered like any other', async () => {
  const site = await t.site()
  for (const path of ['/login/%', '/authorize/%E4%zz?a=%', '/loginAuthorize/%c0%ae']) {
    const reply = await get(site, path)
    expect([reply.statusCode, reply.headers['content-type']], path).toEqual([200, 'text/html; charset=utf-8'])
  }
  expect((await get(site, '/%zz')).statusCode).toBe(404)
  expect((await get(site, '/api/%zz')).json()).toMatchObject({ code: 'NOT_FOUND' })
})

test('built files are immutable and compressed where the browser understands it', async () => {
  const site = await t.site()
  const reply = await get(site, '/assets/app-1a2b.js', { 'accept-encoding': 'gzip' })
  expect(reply.headers).toMatchObject({
    'content-encoding': 'gzip',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-type': 'text/javascript; charset=utf-8',
  })
  expect(gunzipSync(reply.rawPayload).toString()).toBe('run()')
  expect((await get(site, '/assets/app-1a2b.js')).body).toBe('run()')
  const etag = String((await get(site, '/favicon.svg')).headers.etag)
  expect((await get(site, '/favicon.svg', { 'if-none-match': etag })).statusCode).toBe(304)
})

test('a visitor at an unknown host reads a sentence', async () => {
  const reply = await t.app.inject({ url: '/', headers: { host: 'unknown.example.com' } })
  expect(reply).toMatchObject({ statusCode: 404, body: '站点不存在，请检查访问的地址' })
  expect(reply.headers['content-type']).toBe('text/plain; charset=utf-8')
})

test('a document served counts as a page visit; files, unknown paths and the preview do not', async () => {
  const site = await t.site()
  for (const path of ['/', '/user/device', '/favicon.svg', '/nothing', '/merchant/preview']) await get(site, path)
  await t.deps.usage.flush()
  const { rows } = await t.deps.pool.query('SELECT page_access::int AS pages FROM usage_hour WHERE site_id = $1', [
    site.id,
  ])
  expect(rows).toEqual([{ pages: 2 }])
})

test('where there is too much of everything, pages are refused but never one of the files of a page', async () => {
  const narrow = await startTestApp({ HUFU_WEB_FOLDER: folder, HUFU_MAX_CALLS: '1', HUFU_LOAD_SHEDDING: '1' })
  const { host } = await narrow.site()
  const statuses = async (url: string) => {
    const replies = await Promise.all(times(30, () => narrow.app.inject({ url, headers: { host } })))
    return new Set(replies.map(({ statusCode }) => statusCode))
  }
  expect(await statuses('/login')).toEqual(new Set([200, 503]))
  expect(await statuses('/assets/app-1a2b.js')).toEqual(new Set([200]))
  await narrow.close()
})
