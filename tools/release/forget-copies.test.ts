import { chownSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asItsUser } from '../stores/postgres.ts'
import { sandbox } from './deploy-sandbox.ts'

const day = 86_400_000
const piece = (number: number) => `0000000100000000000000${number.toString(16).toUpperCase().padStart(2, '0')}`

/** A copy so many days old, as far as forget.sh looks at it; each begins a piece of the log after the one before. */
function putCopy(folder: string, daysOld: number, first: number, ending = ''): string {
  const { uid, gid } = asItsUser()
  const made = new Date(Date.now() - daysOld * day)
  const name = `base-${made.toISOString().replace(/\.\d+/, '').replace(/[-:]/g, '')}${ending}`
  const label = join(folder, name, 'backup_label')
  mkdirSync(join(folder, name))
  writeFileSync(
    label,
    `START WAL LOCATION: 0/${first}000028 (file ${piece(first)})\nCHECKPOINT LOCATION: 0/${first}000060\n`,
  )
  utimesSync(join(folder, name), made, made)
  if (uid !== undefined && gid !== undefined) for (const path of [label, join(folder, name)]) chownSync(path, uid, gid)
  return name
}

function putPieces(folder: string, count: number): void {
  const { uid, gid } = asItsUser()
  mkdirSync(join(folder, 'wal'))
  for (let number = 1; number <= count; number++) writeFileSync(join(folder, 'wal', piece(number)), '')
  if (uid !== undefined && gid !== undefined) chownSync(join(folder, 'wal'), uid, gid)
}

test('forget.sh removes the copies that are older and the changes that only they need, and nothing else', async () => {
  const { folder, run } = sandbox()
  putCopy(folder, 30, 1)
  putCopy(folder, 16, 2)
  putCopy(folder, 15, 3, '.part')
  const kept = [putCopy(folder, 13, 4), putCopy(folder, 1, 5), putCopy(folder, 0, 6)]
  putPieces(folder, 7)
  await run('forget.sh', [folder, '14'])
  expect(readdirSync(folder).sort()).toEqual([...kept, 'wal'])
  expect(readdirSync(join(folder, 'wal')).sort()).toEqual([4, 5, 6, 7].map(piece))
})

test('forget.sh keeps the newest copy and its changes, however old they are', async () => {
  const { folder, run } = sandbox()
  putCopy(folder, 40, 1)
  const newest = putCopy(folder, 30, 2)
  putPieces(folder, 3)
  await run('forget.sh', [folder, '14'])
  expect(readdirSync(folder).sort()).toEqual([newest, 'wal'])
  expect(readdirSync(join(folder, 'wal')).sort()).toEqual([2, 3].map(piece))
})
