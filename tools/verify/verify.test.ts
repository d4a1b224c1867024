import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Figure } from '../../verify/harness/figures.ts'
import { parts, partsNamed } from './parts.ts'
import { crashed, type Outcome, outcomeOf, type Row, readRows, saveRow, verifyTable, withoutRow } from './rows.ts'
import { runParts } from './run-parts.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hufu-verify-test-'))
  file = join(folder, 'reports/verify.json')
})
afterEach(() => rmSync(folder, { recursive: true }))

const [present, former] = ['1111111111aa', '2222222222bb']
const lost = (value: number): Figure => ({ name: 'calls lost', value, limit: ['=', 0] })
const rowOf = (id: string, commit = present, outcome = outcomeOf(0, [lost(0)])): Row => ({
  id,
  ...outcome,
  commit,
  at: '2026-01-01T00:00:00.000Z',
  seconds: 3,
})

test.each([
  ['its figures hold', 0, [lost(0)], true],
  ['a figure is missed', 1, [lost(0), lost(2)], false],
  ['a figure is missed that the program accepted', 0, [lost(2)], false],
  ['a test failed beside figures that hold', 1, [lost(0)], false],
  ['it left no figures', 0, [], false],
  ['it has no figures and ended well', 0, undefined, true],
  ['it has no figures and failed', 3, undefined, false],
])('where %s, a part holds or not', (_, exitCode, figures, held) => {
  expect(outcomeOf(exitCode, figures).held).toBe(held)
})

test('a row is in the file as soon as it is saved and replaces the former of its part alone', () => {
  saveRow(file, rowOf('A01', former))
  saveRow(file, rowOf('A02', former))
  saveRow(file, rowOf('A01'))
  expect(readRows(file).map(({ id, commit }) => [id, commit])).toEqual([
    ['A02', former],
    ['A01', present],
  ])
  expect(readdirSync(join(folder, 'reports'))).toEqual(['verify.json'])
})

test('what is left of a run that was cut off while it wrote does no harm', () => {
  saveRow(file, rowOf('A01'))
  writeFileSync(`${file}.new`, '[{"id": "A0')
  saveRow(file, rowOf('A02'))
  expect(readRows(file)).toHaveLength(2)
})

test('a part runs that has no row of this commit; one that did not hold waits until it is named', () => {
  const asked = ['A01', 'A02', 'A03', 'A04', 'A05'].map((id) => ({ id }))
  const rows = [
    rowOf('A01'),
    rowOf('A02', former),
    rowOf('A03', present, outcomeOf(1, [lost(1)])),
    rowOf('A04', `${present}-dirty`),
  ]
  const ids = (commit: string | undefined) => withoutRow(asked, rows, commit).map(({ id }) => id)
  expect(ids(present)).toEqual(['A02', 'A04', 'A05'])
  expect(ids(undefined)).toEqual(['A05'])
})

test('the table has every figure beside its limit and what is open', () => {
  const rows = [
    rowOf('A01', present, outcomeOf(0, [lost(0), { name: 'p99', value: 12.3456, limit: ['<=', 20], unit: 'ms' }])),
    rowOf('F02', present, outcomeOf(1, [lost(3)])),
    rowOf('F03', present, crashed(new Error('the pages could not be built'))),
    rowOf('F04', former),
    rowOf('screens', `${present}-dirty`, outcomeOf(0, undefined)),
  ]
  const { lines, open } = verifyTable(['A01', 'F02', 'F03', 'F04', 'fuzz'], rows, present)
  expect(lines).toEqual([
    'id    held  figure                        limit  commit',
    'A01   yes   calls lost: 0                 = 0    1111111111',
    'A01   yes   p99: 12.346 ms                <= 20  1111111111',
    'F02   NO    calls lost: 3                 = 0    1111111111',
    'F03   NO    the pages could not be built         1111111111',
    'F04   -     not run on this commit               2222222222',
    'fuzz  -     not run',
  ])
  expect(open).toEqual(['F02', 'F03', 'F04', 'fuzz'])
  expect(verifyTable(['F04', 'screens'], rows, undefined)).toEqual({
    lines: [
      'id       held  figure         limit  commit',
      'F04      yes   calls lost: 0  = 0    2222222222',
      'screens  yes   exit code: 0   = 0    1111111111-dirty',
    ],
    open: [],
  })
})

const some = partsNamed(['A01', 'A02', 'A03'])
const well = async () => outcomeOf(0, [lost(0)])

test('a part that crashes has a row with the reason, and the next one runs', async () => {
  const run = (part: { id: string }): Promise<Outcome> =>
    part.id === 'A02' ? Promise.reject(new Error('no such program')) : well()
  await runParts(some, { file, run, checkedOut: () => present, stopped: () => false })
  expect(readRows(file).map(({ id, held, reason }) => [id, held, reason])).toEqual([
    ['A01', true, undefined],
    ['A02', false, 'no such program'],
    ['A03', true, undefined],
  ])
})

test('a run that is stopped leaves no row of the part it was at, and goes on with it', async () => {
  let ran = 0
  const run = () => {
    ran++
    return well()
  }
  await runParts(some, { file, run, checkedOut: () => present, stopped: () => ran === 2 })
  expect(readRows(file).map(({ id }) => id)).toEqual(['A01'])
  expect(withoutRow(some, readRows(file), present).map(({ id }) => id)).toEqual(['A02', 'A03'])
})

test('a part that ran while the tree changed proves nothing', async () => {
  let commit = present
  const run = () => {
    commit = former
    return well()
  }
  const running = { file, run, checkedOut: () => commit, stopped: () => false }
  await expect(runParts(some, running)).rejects.toThrow('the tree changed while A01 ran')
  expect(readRows(file)).toEqual([])
})

test('parts are named by id or by group, in the order in which they run', () => {
  const ids = (...names: string[]) => partsNamed(names).map(({ id }) => id)
  expect(ids()).toEqual(parts.map(({ id }) => id))
  expect(new Set(ids()).size).toBe(parts.length)
  expect(ids('bench:users', 'a14', 'F11')).toEqual(['A14', 'F11', 'bench:users'])
  expect(ids('attacks')).toHaveLength(57)
  expect(ids('faults')).toHaveLength(18)
  expect(() => partsNamed(['A14', 'A99', 'constructor'])).toThrow('no part named A99, constructor')
})
