// @vitest-environment happy-dom
import fc from 'fast-check'
import { expect } from 'vitest'
import { fuzz, quick } from '../../../../../tools/fuzz/fuzz.ts'
import { byteText, longText, nastyText } from '../../../../../tools/fuzz/nasty.ts'
import { unzip } from '../../../test/unzip.ts'
import { card, pageEnd, pageHead } from './archive-page.ts'
import type { PersonalTable } from './personal-data.store.ts'
import { storedFile, textFile, zipOf } from './zip.ts'

const files = fc.uniqueArray(
  fc.record({ name: nastyText, content: fc.oneof(byteText, longText), text: fc.boolean() }),
  {
    maxLength: 4,
    selector: ({ name }) => name.toWellFormed(),
  },
)

fuzz('zip', 'an archive gives back every file under its name', files, async (wanted) => {
  const packed = await Promise.all(
    wanted.map(async ({ name, content, text }) => {
      if (!text) return storedFile(name, Buffer.from(content))
      const file = textFile(name)
      for (const part of [content.slice(0, 7), content.slice(7)]) await file.write(part)
      return await file.close()
    }),
  )
  const size = wanted.reduce((sum, { content }) => sum + content.length, 0)
  const found = unzip(quick(size, () => zipOf(packed, new Date(Date.UTC(2026, 10, 15)))))
  expect([...found.keys()]).toEqual(wanted.map(({ name }) => name.toWellFormed()))
  for (const [index, bytes] of [...found.values()].entries()) {
    const { content, text } = wanted[index] ?? { content: '', text: false }
    // Written in two parts, a surrogate pair may be split.
    const whole = text ? content.slice(0, 7).toWellFormed() + content.slice(7).toWellFormed() : content.toWellFormed()
    expect(bytes.toString()).toBe(whole)
  }
})

/** A text as a browser keeps it: no NUL, no \r, no lone surrogates. */
const readable = fc
  .oneof(nastyText, fc.constantFrom('</dd><script>1</script>', '&lt;b&gt;', '" x="'))
  .filter((text) => !/[\0\r]|\p{Surrogate}/u.test(text))

fuzz(
  'archive-page',
  'whatever a user wrote stands in their archive as text',
  fc.record({ value: readable, site: readable }),
  ({ value, site }) => {
    const columns = {
      a: { label: '甲', shown: 'value' },
      b: { label: '<乙>', shown: 'hidden' },
      c: { label: '丙', shown: 'value' },
    }
    const table = { table: 't', title: 't', columns } as unknown as PersonalTable
    const about = { site, origin: 'https://id.example.com', userId: value, time: new Date(0) }
    const html = quick(
      value.length,
      () => pageHead(about) + card(table, { a: value, b: 'secret', c: { part: value } }) + pageEnd([table]),
    )
    const page = new DOMParser().parseFromString(html, 'text/html')
    const shown = [...page.querySelectorAll('dd')].map(({ textContent }) => textContent)
    expect(shown).toEqual([...(value === '' ? [] : [value]), `part：${value}`])
    expect(page.querySelector('h1')?.textContent).toBe(`${site} 个人信息`)
    expect(page.querySelectorAll('script,img,b,a,svg').length).toBe(0)
    expect(html).not.toContain('secret')
  },
)
