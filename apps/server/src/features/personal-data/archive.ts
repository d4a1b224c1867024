import type { Db } from '../../platform/postgres/db.ts'
import { type About, card, pageEnd, pageHead, sectionEnd, sectionHead } from './archive-page.ts'
import { listPictures, type PersonalTable, type Row, readRows, type Whose } from './personal-data.store.ts'
import { archivedTables } from './personal-data.ts'
import { ofPictures } from './personal-rows.ts'
import { storedFile, type TextFile, textFile, zipOf } from './zip.ts'

/** Stands for a stored value that is not given out. */
export const withheld = '已设置，不提供'

/** A row for machines: times by ISO 8601, hidden values only named. */
function plain({ columns }: PersonalTable, row: Row): Row {
  const values = Object.entries(columns).map(([name, { shown }]) => {
    const value = row[name]
    if (shown === 'hidden') return [name, value ? withheld : null]
    return [name, shown === 'time' && value !== null ? new Date(value as number).toISOString() : value]
  })
  return Object.fromEntries(values)
}

interface Files {
  json: TextFile
  page: TextFile
}

/** One table, in both files, some rows at a time; how many there are. Of an empty one the page has no section. */
async function writeSection(tx: Db, { json, page }: Files, table: PersonalTable, whose: Whose): Promise<number> {
  const fields = Object.fromEntries(Object.entries(table.columns).map(([name, { label }]) => [name, label]))
  await json.write(JSON.stringify({ table: table.table, title: table.title, fields }).replace(/\}$/, ',"rows":['))
  let count = 0
  for await (const rows of readRows(tx, table, whose)) {
    const lines = rows.map((row) => `\n${JSON.stringify(plain(table, row))}`)
    await json.write((count > 0 ? ',' : '') + lines.join(','))
    await page.write((count > 0 ? '' : sectionHead(table)) + rows.map((row) => card(table, row)).join(''))
    count += rows.length
  }
  await json.write(']}')
  if (count > 0) await page.write(sectionEnd)
  return count
}

/** All data of a user at one moment: a file for programs, a page for reading, and their pictures. */
export async function makeArchive(
  tx: Db,
  about: About,
  whose: Whose,
  progress: (done: number) => Promise<void>,
): Promise<Buffer> {
  const files = { json: textFile('个人信息.json'), page: textFile('个人信息.html') }
  await files.json.write(JSON.stringify(about).replace(/\}$/, ',"sections":[\n'))
  await files.page.write(pageHead(about))
  const empty: PersonalTable[] = []
  for (const [index, table] of archivedTables.entries()) {
    if (index > 0) await files.json.write(',\n')
    if ((await writeSection(tx, files, table, whose)) === 0) empty.push(table)
    await progress(index + 1)
  }
  await files.json.write('\n]}\n')
  await files.page.write(pageEnd(empty))
  const pictures = await listPictures(tx, whose, ofPictures.of(whose))
  const packed = pictures.map(({ name, bytes }) => storedFile(name, bytes))
  return zipOf([await files.json.close(), await files.page.close(), ...packed], about.time)
}
