// @vitest-environment happy-dom
import fc from 'fast-check'
import { expect } from 'vitest'
import { fuzz, quick } from '../../../tools/fuzz/fuzz.ts'
import { longText, nastyText } from '../../../tools/fuzz/nasty.ts'
import { brandDocument } from './document.ts'
import type { SiteMeta } from './site.ts'

const template =
  '<!doctype html><html lang="zh-CN"><head><title>{{name}}</title><link rel="icon" href="{{icon}}"></head><body><p>{{name}}</p></body></html>'
/** A browser reads line ends as \n and leaves no NUL and no halves. */
const readable = (text: string) => !/[\0\r]|\p{Surrogate}/u.test(text)
const markup = fc.constantFrom(
  '</title><script>1</script>',
  '" onload="x',
  '{{icon}}',
  "'><img src=x>",
  '$&',
  '<html ',
  '&lt;',
  '&#39;',
)
const text = fc.oneof(nastyText, markup, longText).filter(readable)
const brands = fc.record({ name: text, logoIcon: fc.option(text.filter(Boolean), { nil: undefined }), primary: text })

fuzz(
  'document',
  'a site stands in the document as text, and adds nothing to it',
  brands,
  ({ name, logoIcon, primary }) => {
    const size = name.length + (logoIcon?.length ?? 0) + primary.length
    const meta = { name, logoIcon, theme: { primary } } as SiteMeta
    const page = new DOMParser().parseFromString(
      quick(size, () => brandDocument(template, meta)),
      'text/html',
    )
    expect(page.querySelectorAll('*').length).toBe(6)
    expect(page.querySelector('p')?.textContent).toBe(name)
    expect(page.querySelector('link')?.getAttribute('href')).toBe(logoIcon ?? '/favicon.svg')
    const told = ['name', 'primary', 'logo'].map((word) => page.documentElement.getAttribute(`data-${word}`))
    expect(told).toEqual([name, primary, logoIcon ?? null])
    expect(page.documentElement.getAttributeNames().length).toBe(logoIcon ? 4 : 3)
  },
)
