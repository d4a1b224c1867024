import { addBackground, addLogo } from '@hufu/contract/merchant-config'
import type { SiteConfig } from '@hufu/contract/site'
import type { Page } from '@playwright/test'
import type { HandOver } from '../../tools/brands/brands.ts'
import { write } from './config-editor.ts'
import { expect, type StorySite } from './fixtures.ts'
import { createMember, openEmpty, password, signInByCalls } from './member.ts'

export const screens = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } }
const words = { phone: '手机', desktop: '电脑', login: '登录页', user: '用户中心', light: '浅色', dark: '深色' }

export interface Shot {
  path: 'login' | 'user'
  theme: 'light' | 'dark'
  screen: keyof typeof screens
}

/** Each differs from the one before in page or theme: of these alone the preview says when it has drawn them. */
const shots: Shot[] = (['phone', 'desktop'] as const).flatMap((screen) => [
  { screen, path: 'login', theme: 'light' },
  { screen, path: 'login', theme: 'dark' },
  { screen, path: 'user', theme: 'dark' },
  { screen, path: 'user', theme: 'light' },
])
export const nameOf = ({ path, theme, screen }: Shot) => `${path} ${screen} ${theme}`

/** From inside a page, since a story's host is known to the browser alone. */
export async function post(page: Page, path: string, data: object): Promise<unknown> {
  const { status, text } = await page.evaluate(
    async ([to, body]) => {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(to, { method: 'POST', headers, body })
      return { status: answer.status, text: await answer.text() }
    },
    [path, JSON.stringify(data)] as const,
  )
  expect(status, text).toBe(200)
  return JSON.parse(text).data
}

const uploads = { logo: addLogo.path, background: addBackground.path }

export const handOverFrom =
  (page: Page): HandOver =>
  async (kind, { file, bytes }) => {
    const answer = await page.evaluate(
      async ([path, name, content]) => {
        const body = new FormData()
        body.append('file', new Blob([new Uint8Array(content)], { type: 'image/webp' }), name)
        const answer = await fetch(path, { method: 'POST', body })
        return (await answer.json()) as { data: { path: string } }
      },
      [uploads[kind], file, [...bytes]] as const,
    )
    return answer.data.path
  }

/** An operator who has agreed to the brand's terms before it is applied, so that nothing is asked of them. */
export async function enterOperator(page: Page, site: StorySite, agreements: SiteConfig['agreements']) {
  await site.save({ name: '青屿生活', ...(agreements && { agreements }) })
  const { username } = await createMember(site, ['mobile', 'email'], ['READ', 'WRITE', 'ADMIN'])
  await openEmpty(page, site)
  await expect.poll(async () => ((await post(page, '/api/meta', {})) as SiteConfig).agreements).toEqual(agreements)
  // A brand is more than appearance: saving it needs a step-up, which this is as well.
  await signInByCalls(page, site, { account: username, password, agreements: agreements?.version })
}

/** Puts a config in place of the one that is edited, and waits until it is known what it would make of the site. */
export async function edit(page: Page, config: SiteConfig) {
  const known = page.waitForResponse(
    (answer) => answer.url().endsWith('/config/preview') && !!answer.request().postData()?.includes(`${config.name}`),
  )
  await write(page, config)
  await known
}

/** No two codes are alike. */
export const codes = '.plate'

/** What the preview shows of an edited text, every pixel of it, in each page, size and theme. */
export async function previews(page: Page): Promise<Map<string, Buffer>> {
  const taken = new Map<string, Buffer>()
  await page.getByRole('button', { name: '放大' }).click()
  const large = page.getByRole('dialog')
  const frame = large.locator('iframe')
  for (const shot of shots) {
    for (const part of ['screen', 'path', 'theme'] as const) {
      await large.getByRole('radio', { name: words[shot[part]], exact: true }).check()
    }
    await expect(frame).toHaveAttribute('data-ready', 'true')
    const mask = [frame.contentFrame().locator(codes)]
    taken.set(nameOf(shot), await frame.screenshot({ mask }))
  }
  await large.getByRole('button', { name: '关闭' }).click()
  return taken
}
