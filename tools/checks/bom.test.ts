import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { type Bom, billOf, purlOf, readBill } from './bom.ts'
import { type Manifest, readLock, readManifest } from './dependencies-lock.ts'

const root = resolve(import.meta.dirname, '../..')
const bill = readBill(root)
const componentOf = ({ components }: Bom, purl: string) => components.find((component) => component.purl === purl)

test.each(['apps/server', 'apps/web', 'packages/contract'])(
  'every production dependency of %s is in the bill with its exact version, licence and hash, on every machine',
  (folder) => {
    const { dependencies = {} } = readManifest(`${root}/${folder}/package.json`)
    const outside = Object.entries(dependencies).filter(([, version]) => version !== 'workspace:*')
    expect(outside.length).toBeGreaterThan(0)
    for (const [name, version] of outside) {
      expect(componentOf(bill, purlOf(`${name}@${version}`)), name).toMatchObject({
        version,
        scope: 'required',
        licenses: [expect.anything()],
        hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
      })
    }
  },
)

test('what they need in turn is there too, each once, and every edge leads to a component', () => {
  const refs = bill.components.map((component) => component['bom-ref'])
  expect(new Set(refs).size).toBe(refs.length)
  expect(refs).toEqual(expect.arrayContaining([expect.stringMatching(/^pkg:npm\/pg-protocol@/)]))
  const known = new Set([...refs, 'hufu@0.1.0'])
  for (const { ref, dependsOn } of bill.dependencies)
    expect(
      [ref, ...dependsOn].filter((each) => !known.has(each)),
      ref,
    ).toEqual([])
})

test('what is for development alone is in no bill; types that a shipped package names as its peers are', () => {
  const { devDependencies = {} } = readManifest(`${root}/package.json`)
  const named = Object.entries(devDependencies).filter(([name, version]) =>
    componentOf(bill, purlOf(`${name}@${version}`)),
  )
  // But for the types all are shipped: tools use the server's own.
  expect(named.map(([name]) => name)).toEqual(['@node-rs/argon2', '@types/node', 'ioredis', 'pg', 'sharp'])
})

test('the same lock gives the same bill, and it says what it is', () => {
  expect(readBill(root)).toEqual(bill)
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 })
})

const lock = readLock(`importers:
  .:
    devDependencies:
      tool:
        specifier: 1.0.0
        version: 1.0.0
    optionalDependencies:
      engine:
        specifier: 3.0.0
        version: 3.0.0
  apps/one:
    dependencies:
      '@a/b':
        specifier: 1.0.0
        version: 1.0.0(peer@2.0.0)
      own:
        specifier: workspace:*
        version: link:../../packages/own
packages:
  '@a/b@1.0.0':
    resolution: {integrity: sha512-AAAA}
  engine@3.0.0:
    resolution: {integrity: sha512-AAAA}
  peer@2.0.0:
    resolution: {integrity: sha512-AAAA}
  real@5.0.0:
    resolution: {integrity: sha512-AAAA}
  tool@1.0.0:
    resolution: {integrity: sha512-AAAA}
snapshots:
  '@a/b@1.0.0(peer@2.0.0)':
    dependencies:
      alias: real@5.0.0
      peer: 2.0.0
  engine@3.0.0:
    dependencies:
      peer: 2.0.0
  peer@2.0.0: {}
  real@5.0.0: {}
  tool@1.0.0: {}
`)
const product: Manifest = { name: 'product', version: '1.0.0', license: 'Apache-2.0' }

test('aliases, peers, optional ones and licences that are no SPDX come out right', () => {
  const packages = new Map<string, Manifest>([
    ['@a/b@1.0.0', { name: '@a/b', version: '1.0.0', license: '(MIT OR CC0-1.0)' }],
    ['real@5.0.0', { name: 'real', version: '5.0.0', license: 'SEE LICENSE IN LICENSE.md' }],
    ['peer@2.0.0', { name: 'peer', version: '2.0.0', license: { type: 'ISC' } }],
  ])
  const { components, dependencies } = billOf(lock, product, packages)
  expect(components.map(({ purl, scope, licenses }) => [purl, scope, licenses?.[0]])).toEqual([
    ['pkg:npm/%40a/b@1.0.0', 'required', { expression: '(MIT OR CC0-1.0)' }],
    ['pkg:npm/engine@3.0.0', 'optional', undefined],
    ['pkg:npm/peer@2.0.0', 'required', { expression: 'ISC' }],
    ['pkg:npm/real@5.0.0', 'required', { license: { name: 'SEE LICENSE IN LICENSE.md' } }],
  ])
  expect(dependencies.find(({ ref }) => ref === 'pkg:npm/%40a/b@1.0.0')?.dependsOn).toEqual([
    'pkg:npm/peer@2.0.0',
    'pkg:npm/real@5.0.0',
  ])
})

test('a package without a hash is no component', () => {
  const { packages: _, ...unlocked } = lock
  expect(() => billOf(unlocked, product, new Map())).toThrow('has no hash in the lock')
})
