import type { Page } from '@playwright/test'
import { expect } from './fixtures.ts'

export const editor = (page: Page) => page.getByLabel('站点配置（JSON）')
export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/** Replaces the whole text, as by pasting. */
export async function write(page: Page, text: string | object) {
  // Until the editor has come a plain field stands in its place.
  await expect(editor(page)).toHaveClass(/cm-content/)
  await editor(page).click()
  await page.keyboard.press('ControlOrMeta+a')
  const pasted = typeof text === 'string' ? text : JSON.stringify(text, null, 2)
  await editor(page).evaluate((element, words) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', words)
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, pasted)
}

export async function save(page: Page) {
  await press(page, '保存')
  await press(page, '确认保存')
  await expect(page.locator('.toast')).toHaveText('修改成功')
}
