import { defineConfig } from '@playwright/test'
import { chromiumPath } from './tools/run/browser.ts'
import { artefact } from './tools/run/build.ts'

const chromium = {
  browserName: 'chromium' as const,
  launchOptions: {
    executablePath: chromiumPath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  },
}

// --short, as in CI: what is not tagged @full, once, at the size at which its people mostly are; @both at both sizes.
const short = process.env.HUFU_SHORT === '1'
const desks = '(brands?|config|config-preview|desk|merchant-\\w+|scan-login|statistics)\\.spec|keyboard'
const shortly = (grep: RegExp) => (short ? { grep, grepInvert: /@full/ } : {})
const onPhone = shortly(new RegExp(`^(?!.*(${desks}))|@both`))
const onDesktop = shortly(new RegExp(`${desks}|@both`))

export default defineConfig({
  testDir: 'verify/stories',
  testMatch: '*.spec.ts',
  globalSetup: './verify/stories/environment.ts',
  workers: 3,
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  retries: 0,
  timeout: 120_000,
  expect: { timeout: 10_000 },
  outputDir: 'reports/e2e',
  reporter: [['list'], ['json', { outputFile: 'reports/e2e.json' }]],
  use: {
    locale: 'zh-CN',
    timezoneId: 'Asia/Shanghai',
    colorScheme: 'light',
    // A trace slows every story down: `pnpm e2e --trace on` where one is needed.
    screenshot: 'only-on-failure',
    // A release is called over TLS, with a self-signed certificate of this run.
    ignoreHTTPSErrors: artefact !== undefined,
  },
  projects: [
    {
      name: 'phone',
      ...onPhone,
      use: { ...chromium, viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
    },
    { name: 'desktop', ...onDesktop, use: { ...chromium, viewport: { width: 1280, height: 800 } } },
  ],
})
