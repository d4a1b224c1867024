import type { Locator, Page } from '@playwright/test'
import { patience, type Walk } from './walk.ts'

export const seen = (place: Locator) => place.first().waitFor({ state: 'visible' })
export const gone = (place: Locator) => place.first().waitFor({ state: 'hidden' })
export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click()
/** By its name wherever that comes from; the driver's own search by label knows label elements alone. */
export const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
export const choice = (page: Page, name: string) => page.getByRole('combobox', { name, exact: true })
export const toast = (page: Page, words: string) => seen(page.locator('.toast', { hasText: words }))
export const at = (page: Page, address: string | RegExp) => page.waitForURL(address)

/** Waits until what is read is right; says what it was otherwise. */
export async function until<Value>(read: () => Promise<Value>, right: (value: Value) => boolean): Promise<void> {
  const end = Date.now() + patience
  for (;;) {
    const value = await read()
    if (right(value)) return
    if (Date.now() > end) throw new Error(`it stayed ${JSON.stringify(value)}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Text in place of all that stands in an editor, key by key as users type. */
export async function write(page: Page, editor: Locator, text: string): Promise<void> {
  await editor.click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText(text)
}

/** Fills in number and code where the page asks for them, and agrees where it must be. */
export async function signInByCode({ codeTo, passMinute }: Walk, page: Page, mobile: string): Promise<void> {
  await passMinute(`+86${mobile}`)
  await page.getByLabel('手机号', { exact: true }).fill(mobile)
  await press(page, '发送验证码')
  await seen(page.getByLabel('短信验证码'))
  await page.getByLabel('短信验证码').fill(await codeTo(mobile))
  await press(page, '同意并继续')
}
