import '../run/end-with-script-runner.ts'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium } from '@playwright/test'
import playwright from '../../playwright.config.ts'
import { signInOperator } from '../run/demo-operator.ts'
import { type DemoProduct, startDemo, stopAll } from '../run/demo-product.ts'
import { buildWeb } from '../run/product.ts'
import { accountScreens } from './account.ts'
import { type Attempts, countAttempts } from './attempts.ts'
import { takeBrands } from './brands.ts'
import { entryScreens } from './entry.ts'
import { factorScreens } from './factors.ts'
import { feedbackScreens } from './feedback.ts'
import { merchantScreens } from './merchant.ts'
import { oidcScreens } from './oidc.ts'
import { protectionScreens } from './protection.ts'
import { recoveryScreens } from './recovery.ts'
import { type Shown, takeShot } from './shot.ts'
import { undoScreens } from './undo.ts'

// pnpm screens [names]: every screen as a picture into screens/, in each size and theme and at the largest font;
// the brands of examples/brands (by their names, or `brands` for all) into screens/brands/. Pictures that fail are listed at the
// end; the others are taken.
const screens = [
  ...entryScreens,
  ...factorScreens,
  ...recoveryScreens,
  ...undoScreens,
  ...accountScreens,
  ...protectionScreens,
  ...oidcScreens,
  ...feedbackScreens,
  ...merchantScreens,
]

const sizes = [
  { name: 'phone', viewport: { width: 390, height: 844 } },
  { name: 'desktop', viewport: { width: 1280, height: 800 } },
  { name: 'large', viewport: { width: 360, height: 740 }, fontSize: 18 },
]
const looks = sizes.flatMap(({ name, viewport, ...font }) =>
  [false, true].map((dark) => ({
    name: `${name}-${dark ? 'dark' : 'light'}`,
    viewport,
    preference: { dark, ...font },
  })),
)

const folder = 'screens'
const names = process.argv.slice(2)
const wanted = screens.filter(({ name }) => names.length === 0 || names.includes(name))

async function takeScreens(browser: Browser, shown: Shown, { attempt }: Attempts): Promise<void> {
  for (const look of looks) {
    const landscape = look.viewport.width > look.viewport.height
    for (const screen of wanted.filter(({ portraitOnly }) => !(portraitOnly && landscape))) {
      const picture = `${screen.name}-${look.name}`
      await attempt(picture, () => takeShot(browser, shown, screen, look, join(folder, `${picture}.png`)))
    }
  }
}

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
await buildWeb()
const attempts = countAttempts()
const parts: DemoProduct['parts'] = []
const browser = await chromium.launch(playwright.projects?.[0]?.use?.launchOptions ?? {})
try {
  const { addresses } = await startDemo(parts)
  const operator = await browser.newContext()
  await signInOperator(operator.request, addresses)
  await takeScreens(browser, { web: addresses.web, session: await operator.storageState() }, attempts)
  // Last: from here on the demo wears other clothes.
  await takeBrands(browser, operator, attempts, { web: addresses.web, folder: join(folder, 'brands'), names })
} finally {
  await browser.close()
  await stopAll(parts)
}
console.log(`pictures are in ${folder}/`)
if (attempts.failed.length > 0) {
  console.error(`${attempts.failed.length} pictures failed:\n${attempts.failed.join('\n')}`)
  process.exitCode = 1
}
