import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copyTree, type TreeCopy } from './tree-copy.ts'

let tree: TreeCopy
beforeAll(() => {
  tree = copyTree()
}, 60_000)
afterAll(() => tree.remove())

const features = 'apps/server/src/features/planted'

const feature = "another feature's web feature"
/** In each web zone an import from a higher zone. */
const webFaults: [zone: string, specifier: string, target: string][] = [
  ['lib', '../ui/button.tsx', 'web ui'],
  ['lib', '../features/devices/devices.api.ts', feature],
  ['ui', '../site/site.store.ts', 'web site'],
  ['ui', '../features/devices/devices.api.ts', feature],
  ['site', '../session/profile.api.ts', 'web session'],
  ['session', '../frame/frame.tsx', 'web frame'],
  ['frame', '../identity/step-up/two-factor.api.ts', 'web identity'],
  ['identity', '../features/devices/devices.api.ts', feature],
  ['features/devices', '../../app/routes.tsx', 'web app'],
  ['features/devices', '../profile/crop.ts', feature],
]

describe('boundaries', () => {
  const check = (files: Record<string, string>) => tree.runWith(files, 'node', 'tools/checks/boundaries.ts')

  test('pass on the tree as it is', () => {
    expect(check({})).toEqual({ status: 0, output: expect.stringMatching(/^\d+ modules read, 0 violations\n$/) })
  })

  const faults: [string, Record<string, string>, string][] = [
    [
      'web importing server',
      { 'apps/web/src/app/planted.ts': "import { db } from '../../../server/src/platform/postgres/db.ts'\n" },
      'apps/web/src/app/planted.ts: web app may not import platform: ../../../server/src/platform/postgres/db.ts',
    ],
    [
      'a schema on its way to the browser',
      { 'apps/web/src/app/planted.ts': "import { endpoints } from '@hufu/contract/endpoints'\n" },
      'apps/web/src/app/planted.ts: web takes only types from modules with schemas: @hufu/contract/endpoints',
    ],
    ...webFaults.map(([zone, specifier, target]): [string, Record<string, string>, string] => [
      `${zone} importing ${target}`,
      { [`apps/web/src/${zone}/planted.ts`]: `import { planted } from '${specifier}'\n` },
      `apps/web/src/${zone}/planted.ts: web ${zone.split('/')[0]?.replace(/s$/, '')} may not import ${target}: ${specifier}`,
    ]),
    [
      'a web module outside every zone',
      { 'apps/web/src/planted.ts': 'export const planted = 1\n' },
      'apps/web/src/planted.ts: is in no zone that tools/checks/zones.ts lists: -',
    ],
    [
      'a page that calls the server itself',
      { 'apps/web/src/features/devices/planted.tsx': "import { call } from '../../lib/call/call.ts'\n" },
      'apps/web/src/features/devices/planted.tsx: only *.api.ts files call the server: call',
    ],
    [
      'a listed import between features that is gone',
      { 'apps/web/src/features/profile/account-card.tsx': 'export const AccountCard = () => null\n' },
      'profile/account-card.tsx: tools/checks/zones.ts lists an import that is gone: devices/devices.api.ts',
    ],
    [
      'a crowded folder',
      Object.fromEntries(Array.from({ length: 31 }, (_, each) => [`${features}/planted-${each}.ts`, 'export {}\n'])),
      `${features}: at most 30 files in one folder: 31`,
    ],
    [
      'routes importing a store',
      { [`${features}/planted.routes.ts`]: "import { find } from './planted.store.ts'\n" },
      `${features}/planted.routes.ts: routes may not import own store: ./planted.store.ts`,
    ],
    [
      'a service importing fastify',
      { [`${features}/planted.service.ts`]: "import type { FastifyRequest } from 'fastify'\n" },
      `${features}/planted.service.ts: service may not import fastify: fastify`,
    ],
    [
      'a service reading the environment',
      { [`${features}/planted.service.ts`]: 'export const secret = process.env.SECRET\n' },
      `${features}/planted.service.ts: only platform/config/config.ts reads the environment: process.env`,
    ],
    [
      'a store with the query builder',
      { [`${features}/planted.store.ts`]: "export const find = (db: Db) => db.selectFrom('users').execute()\n" },
      `${features}/planted.store.ts: statements are raw sql, not the query builder: .selectFrom(`,
    ],
    [
      'a cycle',
      {
        'packages/contract/src/planted-a.ts': "import { b } from './planted-b.ts'\nexport const a = () => b\n",
        'packages/contract/src/planted-b.ts': "import { a } from './planted-a.ts'\nexport const b = () => a\n",
      },
      'packages/contract/src/planted-a.ts: no import cycles: packages/contract/src/planted-a.ts → ',
    ],
  ]
  test.each(faults)('go red at %s', (_, files, message) => {
    const { status, output } = check(files)
    expect(output).toContain(message)
    expect(output).toContain(', 1 violations')
    expect(status).toBe(1)
  })
})

describe('knip', () => {
  const original = (path: string) => readFileSync(join(tree.folder, path), 'utf8')

  test('passes on the tree as it is', { timeout: 30_000 }, () => {
    expect(tree.runWith({}, 'knip', '--no-config-hints')).toEqual({ status: 0, output: expect.any(String) })
  })

  test('goes red at an unused export and an unused dependency', { timeout: 30_000 }, () => {
    const errors = 'packages/contract/src/errors.ts'
    const manifest = 'packages/contract/package.json'
    const files = {
      [errors]: `${original(errors)}\nexport const plantedExport = 1\n`,
      [manifest]: original(manifest).replace('"zod"', '"planted-dependency": "1.0.0",\n    "zod"'),
    }
    const { status, output } = tree.runWith(files, 'knip', '--no-config-hints')
    expect(output).toMatch(/Unused exports \(1\)\s+plantedExport .*errors\.ts/)
    expect(output).toMatch(/Unused dependencies \(1\)\s+planted-dependency/)
    expect(status).toBe(1)
  })
})
