import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { faultsOf, scriptedIn, type Tree } from './dependencies.ts'
import { readLock } from './dependencies-lock.ts'
import { copyTree, type TreeCopy } from './tree-copy.ts'

const hash = 'sha512-pVeLM4Mjdh2PSs+h36CDBA=='

const lock = `lockfileVersion: '9.0'

importers:

  .:
    dependencies:
      left:
        specifier: 1.0.0
        version: 1.0.0

packages:

  '@scope/part@2.0.0':
    resolution: {integrity: ${hash}}
    engines: {node: '>=20'}
    cpu: [x64]

  left@1.0.0:
    resolution: {integrity: ${hash}}

snapshots:

  left@1.0.0(@scope/part@2.0.0):
    dependencies:
      '@scope/part': 2.0.0
    transitivePeerDependencies:
      - supports-color
`

const tree = (own: Partial<Tree> = {}): Tree => ({
  manifests: { 'package.json': { name: 'own', version: '1.0.0', dependencies: { left: '1.0.0' } } },
  workspace: {},
  lock: readLock(lock),
  scripted: [],
  reasons: '| package | why |\n|---|---|\n| `left` | it pads |\n',
  ...own,
})

test('a lock is read by its names, quoted or not, whatever stands between them', () => {
  const { importers, packages, snapshots } = readLock(lock)
  expect(importers).toEqual({ '.': { dependencies: { left: { specifier: '1.0.0', version: '1.0.0' } } } })
  expect(Object.keys(packages as object)).toEqual(['@scope/part@2.0.0', 'left@1.0.0'])
  expect(snapshots).toEqual({
    'left@1.0.0(@scope/part@2.0.0)': { dependencies: { '@scope/part': '2.0.0' }, transitivePeerDependencies: {} },
  })
})

describe('faults', () => {
  const asks = (dependencies: Record<string, string>): Partial<Tree> => ({
    manifests: { 'package.json': { name: 'own', version: '1.0.0', dependencies } },
  })
  const page = (row: string): Partial<Tree> => ({ reasons: `| package | instead of | why |\n|---|---|---|\n${row}\n` })

  test('there are none where everything has its reason', () => expect(faultsOf(tree())).toEqual([]))

  test('all packages of a scope can share one', () => {
    expect(
      faultsOf(tree({ ...asks({ '@a/b': '1.0.0', '@a/c': '1.0.0' }), ...page('| `@a/*` | own | good |') })),
    ).toEqual([])
  })

  const noReason = (name: string) => `${name}: no reason in docs/decisions/001-dependencies.md`
  const faults: [string, Partial<Tree>, string][] = [
    ['a package without a reason', asks({ left: '1.0.0', right: '1.0.0' }), noReason('right')],
    ['a row without a reason', page('| `left` | right | |'), noReason('left')],
    [
      'a name in a sentence alone',
      { ...asks({}), reasons: 'We take `left`.', workspace: { overrides: { left: '1.0.0' } } },
      noReason('left'),
    ],
    [
      'a reason for a package that is not used',
      asks({}),
      'left: listed in docs/decisions/001-dependencies.md, but no package uses it',
    ],
    ['a range of versions', asks({ left: '^1.0.0' }), 'package.json: left is asked for as ^1.0.0, not by one version'],
    ['a package that runs a script', { scripted: ['left@1.0.0'] }, 'left@1.0.0: runs a script while it is installed'],
    [
      'a script that was allowed for another',
      { scripted: ['@scope/part@2.0.0'], workspace: { allowBuilds: { left: 'true' } } },
      '@scope/part@2.0.0: runs a script while it is installed',
    ],
    [
      'a script that was allowed without a reason',
      { workspace: { allowBuilds: { '@scope/part': 'true' } } },
      noReason('@scope/part'),
    ],
    [
      'a package from anywhere else',
      {
        lock: readLock(
          lock.replace(
            `left@1.0.0:\n    resolution: {integrity: ${hash}}`,
            `left@1.0.0:\n    resolution: {integrity: ${hash}, tarball: https://example.com/left.tgz}`,
          ),
        ),
      },
      'left@1.0.0: the lock has no hash of it from the registry',
    ],
  ]
  test.each(faults)('%s', (_, own, fault) => expect(faultsOf(tree(own))).toEqual([fault]))

  test('a script that is allowed with its reason is none', () => {
    expect(faultsOf(tree({ scripted: ['left@1.0.0'], workspace: { allowBuilds: { left: 'true' } } }))).toEqual([])
  })
})

describe('the command', () => {
  let copy: TreeCopy
  beforeAll(() => {
    copy = copyTree()
  }, 60_000)
  afterAll(() => copy.remove())

  const check = (files: Record<string, string>) => copy.runWith(files, 'node', 'tools/checks/dependencies.ts')
  const original = (path: string) => readFileSync(join(resolve(import.meta.dirname, '../..'), path), 'utf8')

  test('passes on the tree as it is', () => {
    expect(check({})).toEqual({
      status: 0,
      output: expect.stringMatching(/^\d+ direct, \d+ locked, \d+ installed, 0 faults\n$/),
    })
  })

  test('goes red at a dependency without a reason', () => {
    const path = 'apps/server/package.json'
    const { status, output } = check({ [path]: original(path).replace('"zod"', '"planted": "1.0.0",\n    "zod"') })
    expect(output).toContain('planted: no reason in docs/decisions/001-dependencies.md')
    expect(output).toContain(', 1 faults')
    expect(status).toBe(1)
  })
})

test('installed packages that would run something are found, in a scope too; links lead to none twice', () => {
  const root = mkdtempSync(join(tmpdir(), 'installed-'))
  const put = (name: string, manifest: object, gyp = false) => {
    const folder = join(root, 'node_modules/.pnpm', `${name.replace('/', '+')}@1.0.0`, 'node_modules', name)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '1.0.0', ...manifest }))
    if (gyp) writeFileSync(join(folder, 'binding.gyp'), '{}')
    return folder
  }
  const quiet = put('quiet', { scripts: { test: 'vitest', prepare: 'build' } })
  put('@scope/loud', { scripts: { postinstall: 'node steal.js' } })
  put('native', {}, true)
  symlinkSync(put('early', { scripts: { preinstall: 'x' } }), join(dirname(quiet), 'early'))
  expect(scriptedIn(root).sort()).toEqual(['@scope/loud@1.0.0', 'early@1.0.0', 'native@1.0.0'])
  rmSync(root, { recursive: true })
})
