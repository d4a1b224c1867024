import { applyBrand, surfaces } from './brand.ts'

/** Light or dark and the site's colour. The boot script calls it before the first paint, the page at every change. */
export function applyTheme(dark: boolean, primary: string) {
  const theme = dark ? 'dark' : 'light'
  document.documentElement.classList.toggle('dark', dark)
  document.documentElement.style.colorScheme = theme
  applyBrand(primary, dark)
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', surfaces[theme].page)
}
