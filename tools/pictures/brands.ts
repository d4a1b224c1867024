import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext } from '@playwright/test'
import { readBrands, withPictures } from '../brands/brands.ts'
import { operatorCalls } from '../brands/operator.ts'
import { settled } from './settled.ts'

const sizes = [
  { size: 'phone', viewport: { width: 390, height: 844 } },
  { size: 'desktop', viewport: { width: 1280, height: 800 } },
]
const looks = sizes.flatMap((size) => [false, true].map((dark) => ({ ...size, dark })))
const brands = readBrands()

/** Which brands somebody means who asks for pictures by these names; `brands` means all. */
const wantedBrands = (names: string[]) =>
  brands.filter(({ name }) => names.length === 0 || names.includes('brands') || names.includes(name))

/** Sign-in and user centre of each brand, which the demo's site wears one after the other. */
export async function takeBrands(
  browser: Browser,
  operator: BrowserContext,
  { web, folder, names }: { web: string; folder: string; names: string[] },
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const { handOver, wear } = operatorCalls(operator.request, web)
  const session = await operator.storageState()
  for (const brand of wantedBrands(names)) {
    await wear(await withPictures(brand, handOver))
    for (const { size, viewport, dark } of looks) {
      for (const page of ['login', 'user']) {
        const context = await browser.newContext({
          viewport,
          locale: 'zh-CN',
          reducedMotion: 'reduce',
          ...(page === 'user' && { storageState: session }),
        })
        const preference = JSON.stringify({ dark })
        await context.addInitScript((text) => localStorage.setItem('device_preference', text), preference)
        const shown = await context.newPage()
        await shown.goto(`${web}/${page}`)
        await settled(shown)
        const name = `${brand.name}-${page}-${size}-${dark ? 'dark' : 'light'}.png`
        await shown.screenshot({ path: join(folder, name), fullPage: page === 'user' })
        await context.close()
      }
    }
  }
}
