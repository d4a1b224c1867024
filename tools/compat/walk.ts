import type { Browser, BrowserContext, Page } from '@playwright/test'

/** What steps share: one browser, one user, one operator, and the settings of the product. */
export interface Walk {
  version: string
  browser: Browser
  web: string
  /** The user's phone, inside WeChat. */
  phone: Page
  /** The operator's computer. */
  desk: Page
  /** Another page of the same browser, not signed in. */
  another(device: 'phone' | 'desktop'): Promise<Page>
  mobile: string
  operator: { mobile: string }
  codeTo(to: string): Promise<string>
  /** Ends the one-minute wait of a receiver of codes. */
  passMinute(receiver: string): Promise<void>
  /** Keeps a picture of the page. */
  picture(page: Page, name: string): Promise<void>
}

export interface Step {
  name: string
  /** All later steps depend on it. */
  vital?: true
  run(walk: Walk): Promise<void>
}

export interface Outcome {
  name: string
  /** Undefined if it succeeded. */
  fault: string | undefined
}

const devices = {
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  desktop: { viewport: { width: 1280, height: 800 } },
}
type Device = keyof typeof devices

const agentOf = (device: Device, version: string) =>
  device === 'phone'
    ? `Mozilla/5.0 (Linux; Android 12; PJX110) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/${version}.0.0.0 XWEB/5023 Mobile Safari/537.36 MicroMessenger/8.0.32.2300(0x28002037) NetType/WIFI Language/zh_CN`
    : `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`

/** Long enough for a busy machine. */
export const patience = 15_000

export async function newContext(browser: Browser, device: Device, version: string): Promise<BrowserContext> {
  const context = await browser.newContext({
    ...devices[device],
    userAgent: agentOf(device, version),
    locale: 'zh-CN',
    timezoneId: 'Asia/Shanghai',
    reducedMotion: 'reduce',
    ignoreHTTPSErrors: true,
  })
  context.setDefaultTimeout(patience)
  return context
}

/** What a page throws or complains of. What the server refuses, a call or a page that isn't there, is no fault of it. */
export function watch(page: Page, faults: string[]): Page {
  page.on('pageerror', (error) => faults.push(`threw ${error.message}`))
  page.on('console', (message) => {
    if (message.type() !== 'error') return
    const refused = /^Failed to load resource/.test(message.text()) && !/\/assets\//.test(message.location().url)
    if (!refused) faults.push(`complained: ${message.text()} ${message.location().url}`)
  })
  return page
}

/** One step after the other; what a page said meanwhile counts against the step. */
export async function takeSteps(walk: Walk, steps: Step[], faults: string[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const { name, run, vital } of steps) {
    faults.length = 0
    try {
      await run(walk)
    } catch (error) {
      // Without the driver's log of every attempt.
      faults.unshift(String(error).split('\n').slice(0, 6).join('\n'))
      await walk.picture(walk.phone, `failed ${name} phone`)
      await walk.picture(walk.desk, `failed ${name} desk`)
    }
    const fault = faults.length > 0 ? faults.join('\n') : undefined
    console.error(`${walk.version}  ${fault ? 'FAILED' : 'ok    '}  ${name}${fault ? `\n${fault}` : ''}`)
    outcomes.push({ name, fault })
    if (vital && fault) break
  }
  return outcomes
}

/** A table with steps as rows and browsers as columns. */
export function table(results: Map<string, Outcome[]>): string {
  const walks = [...results.values()]
  const names = [...new Set(walks.flat().map(({ name }) => name))]
  const word = (outcomes: Outcome[], name: string) => {
    const outcome = outcomes.find((each) => each.name === name)
    return outcome ? (outcome.fault === undefined ? 'passed' : 'FAILED') : '–'
  }
  const cells = (words: string[]) => words.map((each) => each.padEnd(8)).join('')
  const lines = names.map((name) => cells(walks.map((outcomes) => word(outcomes, name))) + name)
  return [`${cells([...results.keys()])}step`, ...lines].join('\n')
}
