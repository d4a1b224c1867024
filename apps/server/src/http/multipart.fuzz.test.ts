import fc from 'fast-check'
import { expect } from 'vitest'
import { fuzz, quick } from '../../../../tools/fuzz/fuzz.ts'
import { byteText, changed, changedBytes, longText, nastyText } from '../../../../tools/fuzz/nasty.ts'
import { boundaryOf, fileIn } from './multipart.ts'

const part = fc.record({
  name: fc.constantFrom('file', 'file', 'other', 'File', 'xfile', 'file"x'),
  filename: fc.option(fc.constantFrom('a.png', '', 'a; name=file', '中.png'), { nil: undefined }),
  content: fc.oneof(byteText, fc.constantFrom('', '\r\n', '--b', '\r\n--b', '\r\n--bx', '--\r\n', '\r\n\r\n')),
})
type Part = typeof part extends fc.Arbitrary<infer Value> ? Value : never

const written = ({ name, filename, content }: Part) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n\r\n${content}\r\n`
const body = fc.array(part, { maxLength: 4 }).map((parts) => `${parts.map(written).join('')}--b--\r\n`)

fuzz(
  'multipart',
  'a form is read at once, and what is found lies whole inside it',
  fc.oneof(body, changedBytes(body), byteText),
  (text) => {
    const form = Buffer.from(text, 'latin1')
    const file = quick(form.length, () => fileIn(form, 'b'))
    if (!file) return
    expect(file.buffer).toBe(form.buffer)
    expect(form.indexOf(file)).toBeGreaterThanOrEqual(0)
    expect(file.includes('\r\n--b')).toBe(false)
  },
)

/** The same form by Node's own parser. */
async function plain(text: string): Promise<Buffer[] | undefined> {
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  try {
    const form = await new Response(Buffer.from(text, 'latin1'), { headers }).formData()
    const files = form.getAll('file').filter((value) => typeof value !== 'string')
    return await Promise.all(files.map(async (file) => Buffer.from(await file.arrayBuffer())))
  } catch {
    return undefined
  }
}

fuzz(
  'multipart',
  "the file is the one that Node's own reader finds",
  fc.oneof(body, changedBytes(body)),
  async (text) => {
    const file = fileIn(Buffer.from(text, 'latin1'), 'b')
    const files = await plain(text)
    // Ours may refuse more, and finds nothing else.
    if (file && files) expect(files).toEqual([Buffer.from(file)])
  },
)

fuzz(
  'multipart-form',
  'a form as browsers write it gives back its file',
  fc.record({ content: byteText, name: nastyText }),
  async ({ content, name }) => {
    const form = new FormData()
    form.append('before', 'text')
    form.append('file', new Blob([Buffer.from(content, 'latin1')]), `${name}x`)
    const sent = new Response(form)
    const boundary = boundaryOf(sent.headers.get('content-type') ?? '') ?? ''
    const file = fileIn(Buffer.from(await sent.arrayBuffer()), boundary)
    expect(file?.toString('latin1')).toBe(content)
  },
)

const types = changed(
  fc.constantFrom(
    'multipart/form-data; boundary=b',
    'multipart/form-data; boundary="a b"',
    'Multipart/Form-Data;Boundary=x',
  ),
)

fuzz('boundary', 'a boundary is one that forms can have, or none', fc.oneof(types, nastyText, longText), (type) => {
  const boundary = quick(type.length, () => boundaryOf(type))
  if (boundary !== undefined) expect(type).toContain(boundary.replace(/["\\]/g, ''))
  expect(boundary ?? 'x').toMatch(/^[ -~]{1,70}$/)
})
