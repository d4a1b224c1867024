import '../run/end-with-script-runner.ts'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type DemoProduct, stopAll } from '../run/demo-product.ts'
import { appearanceSteps, visitorLookSteps } from './appearance-steps.ts'
import { backOfficeSteps } from './back-office-steps.ts'
import { feedbackSteps } from './feedback-steps.ts'
import { launchOld, versions } from './old-browsers.ts'
import { freshMobile, startProduct } from './product.ts'
import { leaving, secondBrowserSteps } from './second-browser-steps.ts'
import { userSteps } from './user-steps.ts'
import { newContext, type Outcome, table, takeSteps, type Walk, watch } from './walk.ts'

// pnpm compat [107 92]: the whole product by hand in browsers of old phones; pictures into screens/compat/.
const folder = 'screens/compat'
const steps = [
  ...userSteps,
  ...secondBrowserSteps,
  ...backOfficeSteps,
  ...feedbackSteps,
  ...appearanceSteps,
  leaving,
  ...visitorLookSteps,
]
const asked = process.argv.slice(2)
const wanted = asked.length > 0 ? asked : versions

async function walkIn(version: string, product: Awaited<ReturnType<typeof startProduct>>): Promise<Outcome[]> {
  const browser = await launchOld(version)
  const faults: string[] = []
  const open = async (device: 'phone' | 'desktop') =>
    watch(await (await newContext(browser, device, version)).newPage(), faults)
  const walk: Walk = {
    ...product,
    version,
    browser,
    mobile: freshMobile(),
    phone: await open('phone'),
    desk: await open('desktop'),
    another: open,
    picture: async (page, name) =>
      void (await page.screenshot({
        path: join(folder, `${version} ${name}.png`),
        fullPage: page !== walk.desk,
        caret: 'initial',
      })),
  }
  try {
    return await takeSteps(walk, steps, faults)
  } finally {
    await browser.close()
  }
}

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const parts: DemoProduct['parts'] = []
const results = new Map<string, Outcome[]>()
try {
  const product = await startProduct(parts)
  for (const version of wanted) results.set(version, await walkIn(version, product))
} finally {
  await stopAll(parts)
}
const outcomes = [...results.values()].flat()
const failed = outcomes.filter(({ fault }) => fault !== undefined).length
console.log(table(results))
console.log(`${outcomes.length - failed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
