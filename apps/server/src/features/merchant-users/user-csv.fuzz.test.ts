import fc from 'fast-check'
import { expect } from 'vitest'
import { fuzz, quick } from '../../../../../tools/fuzz/fuzz.ts'
import { longText, nastyText } from '../../../../../tools/fuzz/nasty.ts'
import { csvLines } from './user-csv.ts'
import type { ExportedUser } from './user-list.store.ts'

const text = fc.oneof(
  nastyText,
  fc.constantFrom('=1+1', '+86', '-x', '@a', '\t=1', '＝1', '"=1"', 'a,b', 'a\r\nb', "'x"),
  longText,
)
const rows = fc.array(fc.array(fc.option(text), { minLength: 4, maxLength: 4 }), { minLength: 1, maxLength: 3 })

/** RFC 4180, letter by letter. */
function plain(csv: string): string[][] {
  const rows: string[][] = [['']]
  let quoted = false
  const add = (letter: string) => {
    const row = rows.at(-1) ?? []
    row[row.length - 1] += letter
  }
  for (let at = 0; at < csv.length; at++) {
    const letter = csv[at] ?? ''
    if (quoted && letter === '"' && csv[at + 1] === '"') add(csv[at++] ?? '')
    else if (letter === '"' && (quoted || rows.at(-1)?.at(-1) === '')) quoted = !quoted
    else if (quoted) add(letter)
    else if (letter === ',') rows.at(-1)?.push('')
    else if (letter === '\r' && csv[at + 1] === '\n' && ++at) rows.push([''])
    else add(letter)
  }
  return rows.slice(0, -1)
}

const userOf = ([nickname, mobile, email, username]: (string | null)[]) =>
  ({
    id: 'id',
    nickname,
    mobilePrefix: null,
    mobile,
    email,
    username,
    status: 'active',
    since: 's',
    lastAccess: null,
  }) as ExportedUser

fuzz('csv', 'a file of users is read back cell by cell, and no cell begins like a formula', rows, (cells) => {
  const csv = quick(JSON.stringify(cells).length, () => csvLines(cells.map(userOf)))
  const read = plain(csv)
  expect(read.map((row) => [row[1], row[3], row[4], row[5]])).toEqual(
    cells.map((row) => row.map((value) => (/^[=+\-@\t\r\n＝＋－＠]/.test(value ?? '') ? `'${value}` : (value ?? '')))),
  )
  for (const cell of read.flat()) expect(cell).not.toMatch(/^[=+\-@＝＋－＠\t\r\n]/)
})
