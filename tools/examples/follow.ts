import { chromium } from '@playwright/test'
import { chromiumPath } from '../run/browser.ts'
import { type DemoProduct, startDemo, stopAll } from '../run/demo-product.ts'
import { freePort } from '../stores/ports.ts'
import { type Example, openExample } from './example.ts'
import {
  approveDevice,
  type Ground,
  refresh,
  signIn,
  signInAsThirdParty,
  signOut,
  signOutAtCentre,
  userId,
} from './journey.ts'

type Step = (words: string) => void

/** What the guide registers the site as. */
function nameOf(example: Example, mark: string): string {
  const [, name] = /--name (\S+)/.exec(example.commands(mark)) ?? []
  if (!name) throw new Error(`the blocks ${mark} register no site with a --name`)
  return name
}

async function asFirstParty(example: Example, ground: Ground, step: Step): Promise<void> {
  const journey = { ...ground, app: example.app, name: nameOf(example, 'try') }
  await example.run('try')
  step('registered and installed')
  const site = await example.start('start')
  step('started')
  await signIn(journey)
  const refreshed = await refresh(journey)
  await signOut(journey)
  step(`signed in,${refreshed ? ' refreshed,' : ''} signed out`)
  if (example.commands('try').includes('--backchannel')) {
    await signIn(journey)
    await signOutAtCentre(journey)
    step('signed in, signed out by the back-channel')
  }
  await site.stop()
}

async function asThirdParty(example: Example, ground: Ground, step: Step): Promise<void> {
  const journey = { ...ground, app: example.app, name: nameOf(example, 'third') }
  await example.run('third')
  const site = await example.start('restart')
  step('registered and started as a third party')
  await signInAsThirdParty(journey)
  const refreshed = await refresh(journey)
  await signOut(journey)
  step(`signed in with consent,${refreshed ? ' refreshed,' : ''} signed out`)
  await site.stop()
}

/** A program without a browser: it prints a link, and who has approved it. */
async function asDevice(example: Example, ground: Ground, step: Step): Promise<void> {
  const name = nameOf(example, 'try')
  await example.run('try')
  step('registered and installed')
  let approving: Promise<void> | undefined
  const lines = await example.watch('device', (line) => {
    const [, link] = /^Link: (\S+)$/.exec(line) ?? []
    if (link) approving = approveDevice(ground, link, name)
  })
  await approving
  const id = await userId(ground)
  for (const words of [`Signed in as ${id}`, 'Refreshed', 'Signed out'])
    if (!lines.some((line) => line.startsWith(words))) throw new Error(`it didn't say: ${words}`)
  step('approved in the browser, signed in, refreshed, signed out')
}

/** Follows one guide at an account centre of its own. */
export async function follow(name: string, step: Step): Promise<void> {
  const parts: DemoProduct['parts'] = []
  try {
    const { addresses, environment } = await startDemo(parts)
    const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-gpu'] })
    parts.push({ stop: () => browser.close() })
    const page = await (await browser.newContext({ locale: 'zh-CN' })).newPage()
    const ground = { ...addresses, page }
    const port = await freePort()
    const example = openExample(name, { issuer: addresses.web, app: `http://localhost:${port}`, environment })
    parts.push({ stop: async () => example.remove() })
    step('account centre started')
    try {
      if (example.commands('device')) return await asDevice(example, ground, step)
      await asFirstParty(example, ground, step)
      // An address belongs to one client.
      if (example.commands('third')) await asThirdParty(example.at(`http://127.0.0.1:${port}`), ground, step)
    } catch (error) {
      console.error(`        at ${page.url()}\n${await page.locator('body').ariaSnapshot()}`)
      throw error
    }
  } finally {
    await stopAll(parts)
  }
}
