import { updateConfig } from '@hufu/contract/merchant-config'
import type { SiteConfig } from '@hufu/contract/site'
import { type Browser, chromium, type Page } from '@playwright/test'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createSite } from '../../apps/server/src/features/site/site.service.ts'
import { fresh } from '../../apps/server/test/test-app.ts'
import playwright from '../../playwright.config.ts'
import { figure } from '../harness/assert-figure.ts'
import { callerOf } from '../harness/callers.ts'
import { type Api, startApi } from '../harness/environment.ts'
import { codeConfig, few, freshAddress, type Harness, openHarness } from '../harness/harness.ts'
import { places } from './branding.ts'
import { builtPages } from './built-pages.ts'

let t: Harness
let api: Api
let chrome: Browser
beforeAll(async () => {
  const folder = await builtPages()
  api = await startApi({ ...inject('environment'), HUFU_WEB_FOLDER: folder }, inject('logFolder'))
  t = await openHarness(inject('environment'), [api.url])
  chrome = await chromium.launch(playwright.projects?.[0]?.use?.launchOptions ?? {})
}, 180_000)
afterAll(async () => {
  await chrome.close()
  await t.close()
  await api.stop()
})

interface Hostile {
  place: string
  value: string
  url: string
}

/** A site of its own for each value; answers how its operator writes the value there, and whether that was taken. */
async function prepare(place: string, value: string, config: SiteConfig): Promise<() => Promise<Hostile | undefined>> {
  const host = `${fresh.host().split('.')[0]}.localhost`
  const origin = `http://${host}:${new URL(api.url).port}`
  const id = await createSite(t.deps, { origin, config: codeConfig() }, 'attack')
  const site = { id, host, origin }
  const admin = await callerOf(t, 'merchantAdmin', site)
  return async () => {
    await t.served(site)
    const { status, body } = await admin.call(updateConfig, { config: codeConfig(config) }, freshAddress())
    expect([200, 400], body).toContain(status)
    return status === 200 ? { place, value, url: origin } : undefined
  }
}

async function broken(page: Page, width: number): Promise<string | undefined> {
  const field = page.locator('input:visible').first()
  await field.waitFor({ timeout: 30_000 }).catch(() => undefined)
  if (!(await field.isVisible())) return 'no field to sign in with'
  const wide = await page.evaluate(() => document.documentElement.scrollWidth)
  if (wide > width) return `${wide} pixels wide`
  const scripts = await page.evaluate(
    () => [...document.querySelectorAll('script')].filter(({ textContent }) => textContent?.includes('hacked')).length,
  )
  return scripts > 0 ? 'a script of the config stands in the document' : undefined
}

/** Opens the page as a visitor; returns what went wrong. */
async function visit({ place, value, url }: Hostile, viewport: { width: number; height: number }): Promise<string[]> {
  const context = await chrome.newContext({ viewport, locale: 'zh-CN' })
  const wrong: string[] = []
  const note = (what: string) => void wrong.push(`${place} ${JSON.stringify(value)} at ${viewport.width}: ${what}`)
  try {
    await context.exposeFunction('hacked', () => note('ran'))
    await context.route(
      ({ hostname }) => !hostname.endsWith('.localhost'),
      (route) => route.abort(),
    )
    const page = await context.newPage()
    page.on('dialog', (dialog) => {
      note('a dialog')
      void dialog.dismiss()
    })
    page.on('pageerror', (error) => note(error.message))
    await page.goto(`${url}/login`)
    const how = await broken(page, viewport.width)
    if (how) note(how)
  } finally {
    await context.close()
  }
  return wrong
}

test('A29 hostile names, pictures, record numbers and colours run nothing and break no page', async () => {
  const writings: (() => Promise<Hostile | undefined>)[] = []
  for (const [place, { values, write }] of Object.entries(places)) {
    for (const value of values.filter((_, index) => index % few(1, 3) === 0))
      writings.push(await prepare(place, value, write(value)))
  }
  const hostile: Hostile[] = []
  for (const write of writings) hostile.push(...[(await write()) ?? []].flat())
  const refused = writings.length - hostile.length
  const wrong: string[] = []
  const viewports = [
    { width: 390, height: 844 },
    { width: 1280, height: 800 },
  ]
  for (const [index, each] of hostile.entries()) {
    // The short form shows each value at one of the widths.
    for (const viewport of viewports.filter((_, place) => few(1, 2) === 1 || place === index % 2))
      wrong.push(...(await visit(each, viewport)))
  }
  for (const line of wrong) console.log(`A29: ${line}`)
  figure(`hostile values shown at ${few(2, 1)} widths`, hostile.length, ['>=', few(20, 15)])
  figure('hostile values refused by the config', refused, ['>=', 1])
  figure('scripts run and pages broken', wrong.length, ['=', 0])
}, 600_000)
