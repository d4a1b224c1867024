import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext } from '@playwright/test'
import { readBrands, withPictures } from '../brands/brands.ts'
import { operatorCalls } from '../brands/operator.ts'
import type { Attempts } from './attempts.ts'
import { settled } from './settled.ts'
import type { Look, Shown } from './shot.ts'

const sizes = [
  { size: 'phone', viewport: { width: 390, height: 844 } },
  { size: 'desktop', viewport: { width: 1280, height: 800 } },
]
const pictures = sizes.flatMap(({ size, viewport }) =>
  [false, true].flatMap((dark) =>
    (['login', 'user'] as const).map((page) => ({
      page,
      look: { viewport, preference: { dark } },
      name: `${page}-${size}-${dark ? 'dark' : 'light'}`,
    })),
  ),
)
const brands = readBrands()

/** The brands that these picture names select; `brands` means all. */
const wantedBrands = (names: string[]) =>
  brands.filter(({ name }) => names.length === 0 || names.includes('brands') || names.includes(name))

async function takePage(
  browser: Browser,
  { web, session }: Shown,
  page: 'login' | 'user',
  { viewport, preference }: Look,
  file: string,
): Promise<void> {
  const context = await browser.newContext({
    viewport,
    locale: 'zh-CN',
    reducedMotion: 'reduce',
    ...(page === 'user' && { storageState: session }),
  })
  try {
    const text = JSON.stringify(preference)
    await context.addInitScript((stored) => localStorage.setItem('device_preference', stored), text)
    const opened = await context.newPage()
    await opened.goto(`${web}/${page}`)
    await settled(opened)
    await opened.screenshot({ path: file, fullPage: page === 'user' })
  } finally {
    await context.close()
  }
}

/** Sign-in and user centre of each brand, which the demo's site wears one after the other. */
export async function takeBrands(
  browser: Browser,
  operator: BrowserContext,
  { attempt }: Attempts,
  { web, folder, names }: { web: string; folder: string; names: string[] },
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const { handOver, wear } = operatorCalls(operator.request, web)
  const shown = { web, session: await operator.storageState() }
  for (const brand of wantedBrands(names)) {
    await attempt(brand.name, async () => {
      await wear(await withPictures(brand, handOver))
      for (const { page, look, name } of pictures) {
        const picture = `${brand.name}-${name}`
        await attempt(picture, () => takePage(browser, shown, page, look, join(folder, `${picture}.png`)))
      }
    })
  }
}
