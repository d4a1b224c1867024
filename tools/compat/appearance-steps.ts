import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { seen } from './page-actions.ts'
import type { Step, Walk } from './walk.ts'

/** Opened with what the user prefers on this device. */
async function open(page: Page, address: string, preference: object): Promise<void> {
  await page.evaluate((text) => localStorage.setItem('device_preference', text), JSON.stringify(preference))
  await page.goto(address)
  await seen(page.locator('h1, h2'))
  await page.waitForLoadState('load')
  // What comes after the page itself: pictures, figures, the editor.
  await page.waitForTimeout(1_500)
}

/** Text with too little contrast, by the colours that this browser computed. */
async function faint(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).withRules(['color-contrast']).analyze()
  return violations.flatMap(({ nodes }) => nodes.map(({ html, failureSummary }) => `faint: ${html} ${failureSummary}`))
}

const sideways = (page: Page) =>
  page.evaluate(() => (document.documentElement.scrollWidth > window.innerWidth ? ['the page scrolls sideways'] : []))

async function look({ web, picture }: Walk, page: Page, path: string): Promise<void> {
  const found: string[] = []
  for (const dark of [false, true]) {
    await open(page, web + path, { dark })
    await picture(page, `${path.replaceAll('/', ' ').trim() || 'home'} ${dark ? 'dark' : 'light'}`)
    found.push(...(await faint(page)), ...(await sideways(page)))
  }
  await page.evaluate(() => localStorage.removeItem('device_preference'))
  if (found.length > 0) throw new Error(found.join('\n'))
}

const lookAt = (who: 'phone' | 'desk', path: string): Step => ({
  name: `${path} reads well in light and dark`,
  run: (walk) => look(walk, walk[who], path),
})

const personal = [
  '',
  '/onlineDevices',
  '/feedback',
  '/security',
  '/protect',
  '/privacy',
  '/wechat',
  '/device',
  '/theme',
]
const office = ['', '/users', '/statistics', '/log', '/wechat', '/wechat?tab=menu', '/wechat?tab=message', '/config']

/** While both are signed in. */
export const appearanceSteps: Step[] = [
  ...[...personal, '/closeAccount', '/changeEmail'].map((path) => lookAt('phone', `/user${path}`)),
  ...[...office, '/feedback', '/ai'].map((path) => lookAt('desk', `/merchant${path}`)),
]

/** After the user has signed out. */
export const visitorLookSteps: Step[] = ['/', '/login', '/recover', '/nothing'].map((path) => lookAt('phone', path))
