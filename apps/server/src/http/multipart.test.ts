import { expect, test } from 'vitest'
import { fileIn } from './multipart.ts'

const form = (disposition: string) =>
  Buffer.from(`--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\ncontent\r\n--b--\r\n`)

test.each([
  ['name="file"; filename="a.png"', true],
  ['name=file; filename=a.png', true],
  ['filename="a;b.png"; name="file"', true],
  ['name="other"; filename="a; name=file"', false],
  ['name="x; name=file"; filename="a"', false],
  ['name="other" x; name="file"; filename="a"', false],
  ['name="file"', false],
  ['name="file"; x="filename=a"', false],
])('the file is the part that is named so: %s', (disposition, found) => {
  expect(fileIn(form(disposition), 'b')?.toString()).toBe(found ? 'content' : undefined)
})
