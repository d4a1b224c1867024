import type { Browser, BrowserContext, Page } from '@playwright/test'
import type { Screen } from './screen.ts'

const wechatAgent =
  'Mozilla/5.0 (Linux; Android 14; PJX110) AppleWebKit/537.36 Chrome/126.0.0.0 Mobile MicroMessenger/8.0.50'

export interface Look {
  viewport: { width: number; height: number }
  preference: { dark: boolean; fontSize?: number }
}

/** The product that is shown, with the session of an operator who may see all of it. */
export interface Shown {
  web: string
  session: Awaited<ReturnType<BrowserContext['storageState']>>
}

async function changeAnswer(page: Page, call: string, differently: object): Promise<void> {
  await page.route(`**${call}`, async (route) => {
    const { data } = (await (await route.fetch()).json()) as { data: object }
    await route.fulfill({ json: { data: { ...data, ...differently } } })
  })
}

async function show(page: Page, web: string, { path, answers = {}, prepare, hold }: Screen): Promise<void> {
  if (hold) await page.route('**/api/meta', () => {})
  // A stream never ends, so nothing would ever be idle.
  await page.route('**/api/events', (route) => route.abort())
  for (const [call, differently] of Object.entries(answers)) await changeAnswer(page, call, differently)
  await page.goto(web + path, { waitUntil: hold ? 'commit' : 'networkidle' })
  await page.getByRole('heading').first().waitFor()
  await prepare?.(page)
  if (!hold) await settle(page)
}

/** On a busy machine the chunk of a page may arrive after its calls: waits until nothing is added for a moment. */
async function settle(page: Page): Promise<void> {
  await page.locator('main.hello:not(.device-result)').waitFor({ state: 'detached' })
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const done = () => {
          observer.disconnect()
          resolve()
        }
        let timer = setTimeout(done, 400)
        const observer = new MutationObserver(() => {
          clearTimeout(timer)
          timer = setTimeout(done, 400)
        })
        observer.observe(document, { childList: true, subtree: true })
      }),
  )
}

/** Takes the picture of one screen, in a browser context of its own. */
export async function takeShot(
  browser: Browser,
  { web, session }: Shown,
  screen: Screen,
  { viewport, preference }: Look,
  file: string,
): Promise<void> {
  const context = await browser.newContext({
    viewport,
    locale: 'zh-CN',
    reducedMotion: 'reduce',
    ...(screen.signedIn && { storageState: session }),
    ...(screen.inWechat && { userAgent: wechatAgent }),
  })
  try {
    const text = JSON.stringify(preference)
    await context.addInitScript((stored) => localStorage.setItem('device_preference', stored), text)
    const page = await context.newPage()
    await show(page, web, screen)
    await page.screenshot({ path: file, fullPage: screen.name === 'theme' })
  } finally {
    // A call that is under way has no answer any more once its page is closed.
    for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  }
}
