import AxeBuilder from '@axe-core/playwright'
import type { SiteConfig } from '@hufu/contract/site'
import type { BrowserContext, Page } from '@playwright/test'
import { readBrands, withPictures } from '../../tools/brands/brands.ts'
import { settled } from '../../tools/pictures/settled.ts'
import {
  codes,
  edit,
  enterOperator,
  handOverFrom,
  nameOf,
  post,
  previews,
  type Shot,
  screens,
} from './brand-preview.ts'
import { save } from './config-editor.ts'
import { crowding } from './crowding.ts'
import { expect, test } from './fixtures.ts'
import { differing } from './same-picture.ts'

/** How many of the pixels may have another colour: in a frame letters may be smoothed a little differently. */
const mostDiffering = 0.0002

/** Gives the page another screen and waits until it is laid out for it. */
async function resize(page: Page, size: { width: number; height: number }) {
  await page.setViewportSize(size)
  const upright = size.width < size.height
  await page
    .locator(upright ? '.entry.portrait, .bar' : '.entry:not(.portrait), .nav')
    .first()
    .waitFor()
  await settled(page)
}

/** Opens a page as its users do, without a past, in a theme or size of letters of their own. */
async function open(context: BrowserContext, address: string, preference: object): Promise<Page> {
  const page = await context.newPage()
  await page.addInitScript((text) => localStorage.setItem('device_preference', text), JSON.stringify(preference))
  await page.goto(address)
  await settled(page)
  return page
}

/** In the page: the picture behind everything is taken away or brought back. */
const showPicture = (page: Page, shown: boolean) =>
  page.evaluate(
    (display) => {
      for (const picture of document.querySelectorAll<HTMLElement>('.picture')) picture.style.display = display
    },
    shown ? '' : 'none',
  )

/** The hairline of a row is no ground for its words, though it is drawn before them. */
const contrastAlone = {
  runOnly: ['color-contrast'],
  checks: { 'color-contrast': { options: { ignorePseudo: true } } },
}

/**
 * Texts whose contrast is too low, and those that axe can't judge: over a picture it judges nothing and finds no fault.
 * What lies on one keeps its contrast over black and white alike, which the test of the colours proves.
 */
async function pale(page: Page): Promise<string[]> {
  await showPicture(page, false)
  const { violations, incomplete } = await new AxeBuilder({ page }).options(contrastAlone).analyze()
  await showPicture(page, true)
  return [...violations, ...incomplete].flatMap(({ nodes }) => nodes.map(({ html }) => html))
}

/** The published page beside its preview. */
async function compare(page: Page, shot: Shot, promised: Map<string, Buffer>) {
  const name = nameOf(shot)
  await resize(page, screens[shot.screen])
  const preview = promised.get(name) ?? Buffer.of()
  const real = await page.screenshot({ mask: [page.locator(codes)] })
  const share = await differing(preview, real)
  if (share > 0)
    console.log(`${test.info().title.split(' ')[0]} ${name}: ${(share * 100).toFixed(3)} % of the pixels differ`)
  if (share > mostDiffering) {
    await test.info().attach(`${name} preview`, { body: preview, contentType: 'image/png' })
    await test.info().attach(`${name} real`, { body: real, contentType: 'image/png' })
  }
  expect.soft(share, `${name}: how much of it the preview shows otherwise`).toBeLessThanOrEqual(mostDiffering)
  expect.soft(await pale(page), `${name}: hard to read`).toEqual([])
}

/** One page in every size and theme, and with the largest letters on the smallest phone. */
async function examine(context: BrowserContext, url: string, path: Shot['path'], promised: Map<string, Buffer>) {
  for (const theme of ['light', 'dark'] as const) {
    const page = await open(context, `${url}/${path}`, { dark: theme === 'dark' })
    for (const screen of ['phone', 'desktop'] as const) await compare(page, { path, theme, screen }, promised)
    await page.close()
  }
  const page = await open(context, `${url}/${path}`, { fontSize: 18 })
  await resize(page, { width: 360, height: 740 })
  expect.soft(await crowding(page), `${path}: crowded`).toEqual([])
  await context.close()
}

/** The one that differs most from the usual look, where a run must be short. */
const strangest = 'newspaper'

for (const brand of readBrands()) {
  const tag = brand.name === strangest ? [] : '@full'
  test(`${brand.name} looks as it was previewed, can be read and is nowhere cut`, { tag }, async ({
    page,
    product,
    browser,
  }) => {
    test.skip(test.info().project.name !== 'desktop', 'it makes all sizes itself')
    // Thirty pictures and their checks; a busy machine needs its time.
    test.setTimeout(240_000)
    const site = await product.site()
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.setViewportSize({ width: 1400, height: 960 })
    await enterOperator(page, site, brand.config.agreements)
    const config = await withPictures(brand, handOverFrom(page))
    await page.goto(`${site.url}/merchant/config`)
    await edit(page, config)
    const promised = await previews(page)
    await save(page)
    // A process that is busy, or hasn't received it yet, is asked again.
    const meta = async () => (await post(page, '/api/meta', {})) as SiteConfig
    await expect(async () => expect((await meta()).name).toBe(config.name)).toPass({ timeout: 20_000 })
    const storageState = await page.context().storageState()
    await page.close()
    await examine(await browser.newContext({ reducedMotion: 'reduce' }), site.url, 'login', promised)
    await examine(await browser.newContext({ reducedMotion: 'reduce', storageState }), site.url, 'user', promised)
  })
}
