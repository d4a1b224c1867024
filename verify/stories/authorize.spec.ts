import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Settings, startExampleSite } from '../../tools/example-site/example-site.ts'
import { freePort } from '../../tools/stores/ports.ts'
import { test as base, expect, freshMobile, type StorySite } from './fixtures.ts'
import { axeFaults, misfits } from './member.ts'
import { signIn } from './session.ts'

const credentials = { client: 'example', secret: 'story-example-secret' }
const failure = { title: '授权失败', home: '返回首页' }

/** Carries calls to a site by its address: the names of stories are known to the browser alone. */
async function startRelay(url: string) {
  const { host, port } = new URL(url)
  const relay = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming
    const call = request({ host: '127.0.0.1', port, method, path, headers: { ...headers, host } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(call)
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`, stop: () => relay.close() }
}

interface Shop {
  url: string
  site: StorySite
  /** What the shop's own server would ask with. */
  exchange(ticket: string, as?: Partial<Settings>): Promise<{ data?: { id: string }; code?: string }>
}

const test = base.extend<{ shop: Shop }>({
  shop: async ({ product }, use) => {
    const port = await freePort()
    const source = `http://127.0.0.1:${port}`
    const site = await product.site({
      clients: [
        {
          id: credentials.client,
          name: '海风书店',
          secret: credentials.secret,
          returns: [`${source}/callback`],
          // As in the first version, for the stories that look at the ticket themselves.
          sources: [source],
        },
        { id: 'forum', name: '论坛', secret: 'story-forum-secret', sources: ['https://forum.example.com'] },
      ],
    })
    const relay = await startRelay(site.url)
    const example = await startExampleSite({ port, centre: site.url, api: relay.url, ...credentials })
    await use({
      url: example.url,
      site,
      async exchange(ticket, as = {}) {
        const { client, secret } = { ...credentials, ...as }
        const headers = { 'Content-Type': 'application/json' }
        const body = JSON.stringify({ client, secret, ticket })
        return await (await fetch(`${relay.url}/api/authorize/exchange`, { method: 'POST', headers, body })).json()
      },
    })
    await example.stop()
    relay.stop()
  },
})

const authorize = (site: StorySite, source: string, state?: string) =>
  `${site.url}/authorize/${encodeURIComponent(source)}${state === undefined ? '' : `?state=${encodeURIComponent(state)}`}`

test('S017 S018 S019 D031 D032 D033 a user who must sign in first returns to the other site by name', async ({
  page,
  shop,
  codeTo,
}) => {
  const mobile = freshMobile()
  await shop.site.createUser({ mobile, nickname: '林<b>知夏' })
  await page.goto(shop.url)
  await page.getByRole('link', { name: '登录' }).click()
  await expect(page).toHaveURL(new RegExp(`^${shop.site.url}/login/%2FloginAuthorize%2F[\\w-]+$`))
  await page.getByLabel('手机号', { exact: true }).fill(mobile)
  await page.getByRole('button', { name: '发送验证码' }).click()
  await page.getByLabel('短信验证码').fill(await codeTo(mobile))
  await expect(page).toHaveURL(`${shop.url}/`)
  await expect(page.getByText('您好，林<b>知夏')).toBeVisible()
  await page.getByRole('button', { name: '退出' }).click()
  await expect(page.getByText('未登录')).toBeVisible()
})

test('S019 D032 D033 a signed-in user returns at once, with the picture; Back leads past our pages', async ({
  page,
  shop,
}) => {
  await signIn(page, shop.site)
  await page.locator('input[type=file]').setInputFiles('apps/web/public/images/login/vbg.jpg')
  await page.getByRole('button', { name: '确定' }).click()
  await expect(page.getByText('修改成功')).toBeVisible()
  await page.goto(shop.url)
  await page.getByRole('link', { name: '登录' }).click()
  await expect(page).toHaveURL(`${shop.url}/`)
  const picture = page.getByAltText('头像')
  await expect(picture).toHaveAttribute('src', new RegExp(`^${shop.site.url}/api/avatar\\?id=`))
  expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(512)
  await page.goBack()
  await expect(page).toHaveURL(`${shop.url}/`)
})

test('D076 the state comes back with the ticket, and whatever the address held stays', { tag: '@full' }, async ({
  page,
  shop,
}) => {
  await signIn(page, shop.site)
  await page.goto(authorize(shop.site, `${shop.url}/elsewhere?a=1#part`, 'a b&c=中'))
  await page.waitForURL(`${shop.url}/elsewhere?**`)
  const { searchParams, hash } = new URL(page.url())
  expect([searchParams.get('a'), searchParams.get('state'), hash]).toEqual(['1', 'a b&c=中', '#part'])
  expect(searchParams.get('authorize')).toMatch(/^[\w-]{43}$/)
})

test('a callback with a foreign state signs no user in and uses nothing up', { tag: '@full' }, async ({
  page,
  shop,
}) => {
  await signIn(page, shop.site)
  await page.goto(authorize(shop.site, `${shop.url}/elsewhere`))
  await page.waitForURL(`${shop.url}/elsewhere?**`)
  const ticket = new URL(page.url()).searchParams.get('authorize') ?? ''
  for (const state of ['', '&state=', '&state=guessed']) {
    await page.goto(`${shop.url}/callback?authorize=${ticket}${state}`)
    await expect(page.getByText('登录失败')).toBeVisible()
  }
  expect((await shop.exchange(ticket)).data?.id).toBeTruthy()
})

test('D124 an address that needs PKCE is refused without a challenge', async ({ page, shop }) => {
  await signIn(page, shop.site)
  await page.goto(authorize(shop.site, `${shop.url}/callback`, 's'))
  await expect(page.getByRole('heading', { name: failure.title })).toBeVisible()
  await expect(page.getByText('该网站的登录请求缺少安全校验，请联系网站管理员')).toBeVisible()
})

test('D033 D056 a ticket is refused to another client, and to every client a second time', { tag: '@full' }, async ({
  page,
  shop,
}) => {
  await signIn(page, shop.site)
  await page.goto(authorize(shop.site, `${shop.url}/elsewhere`))
  await page.waitForURL(`${shop.url}/elsewhere?**`)
  const ticket = new URL(page.url()).searchParams.get('authorize') ?? ''
  const forum = { client: 'forum', secret: 'story-forum-secret' }
  expect((await shop.exchange(ticket, forum)).code).toBe('AUTHORIZE_TICKET')
  expect((await shop.exchange(ticket, { secret: 'wrong' })).code).toBe('CLIENT_REFUSED')
  expect((await shop.exchange(ticket)).data?.id).toBeTruthy()
  expect((await shop.exchange(ticket)).code).toBe('AUTHORIZE_TICKET')
})

test('S420 D050 a refused source shows 授权失败, the message and the way home', async ({ page, shop }) => {
  await page.goto(authorize(shop.site, 'https://evil.example/callback'))
  await expect(page.getByRole('heading', { name: failure.title })).toBeVisible()
  await expect(page).toHaveTitle(failure.title)
  await expect(page.getByText('回跳地址未被允许，请联系网站管理员')).toBeVisible()
  expect([await axeFaults(page), await misfits(page)]).toEqual([[], []])
  await page.getByRole('link', { name: failure.home }).click()
  await expect(page).toHaveURL(`${shop.site.url}/`)
})

test('D050 an id that was used and one that has expired show 授权失败', { tag: '@full' }, async ({
  page,
  shop,
  codeTo,
}) => {
  await signIn(page, shop.site)
  let id = ''
  page.on('request', (made) => {
    if (made.url().endsWith('/authorize/binding')) id = JSON.parse(made.postData() ?? '{}').id
  })
  await page.goto(authorize(shop.site, `${shop.url}/elsewhere`))
  await page.waitForURL(`${shop.url}/elsewhere?**`)
  await page.goto(`${shop.site.url}/loginAuthorize/${id}`)
  await expect(page.getByRole('heading', { name: failure.title })).toBeVisible()
  await expect(page.getByText('授权请求已失效，请返回原网站重新登录')).toBeVisible()

  await page.context().clearCookies()
  await page.goto(authorize(shop.site, `${shop.url}/elsewhere`))
  await expect(page).toHaveURL(/\/login\/%2FloginAuthorize%2F/)
  await shop.site.query("UPDATE authorize_request SET expires_at = now() - interval '1 second' WHERE site_id = $1", [])
  const mobile = freshMobile()
  await page.getByLabel('手机号', { exact: true }).fill(mobile)
  await page.getByRole('button', { name: '发送验证码' }).click()
  await page.getByLabel('短信验证码').fill(await codeTo(mobile))
  await expect(page.getByRole('heading', { name: failure.title })).toBeVisible()
  await expect(page.getByText('授权请求已失效，请返回原网站重新登录')).toBeVisible()
})

test('a session that ended elsewhere leads to the sign-in page and not round in circles', async ({ page, shop }) => {
  await signIn(page, shop.site)
  let calls = 0
  page.on('request', (made) => {
    if (made.url().endsWith('/authorize/binding')) calls++
  })
  // The page already knows who is here; the server no longer does by the time it is asked.
  await page.route('**/authorize/binding', async (route) => {
    await page.context().clearCookies()
    await route.continue()
  })
  await page.goto(authorize(shop.site, `${shop.url}/elsewhere`))
  await expect(page).toHaveURL(/\/login\/%2FloginAuthorize%2F/)
  await expect(page.getByLabel('手机号', { exact: true })).toBeVisible()
  expect(calls).toBe(1)
})
