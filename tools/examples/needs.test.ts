import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeTemporaryFolder } from '../run/temporary-folder.ts'
import { missingFor } from './needs.ts'

function guide(line: string): string {
  const file = join(makeTemporaryFolder('guide'), 'README.md')
  writeFileSync(file, `# An example\n\n${line}\n`)
  return file
}

test('D321 a guide says what it needs, and versions count by number', () => {
  expect(missingFor(guide('You need Node 9.10 or newer, and an account centre.'))).toEqual([])
  expect(missingFor(guide('You need Node, and an account centre.'))).toEqual([])
  expect(missingFor(guide('You need Node 999.1 or newer.'))).toEqual([
    `Node 999.1 is needed, not ${process.versions.node}`,
  ])
  expect(() => missingFor(guide('Needs Node.'))).toThrow('You need')
})
