import type { Page } from '@playwright/test'

/** What comes last of sign-in and user centre: a form or a code, and how many devices there are. */
const last = '.login-form, .plate.ready .qr, a[href="/user/onlineDevices"] .value:not(:empty)'

/** Waits until one of these pages shows all that it is about to show: its data, its fonts and every picture. */
export async function settled(page: Page): Promise<void> {
  await page.locator(last).first().waitFor()
  await page.evaluate(async () => {
    const behind = [...document.querySelectorAll<HTMLElement>('.picture')].map(({ style }) => {
      const picture = new Image()
      picture.src = /url\("?([^"]+)"?\)/.exec(style.backgroundImage)?.[1] ?? ''
      return picture
    })
    const shown = [...document.images].filter((image) => image.checkVisibility())
    await Promise.all([...behind, ...shown].map((image) => image.decode().catch(() => undefined)))
    await document.fonts.ready
    // What was just changed is drawn in the frame after the next.
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  })
}
