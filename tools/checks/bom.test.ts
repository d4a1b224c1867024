import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { makeTemporaryFolder } from '../run/temporary-folder.ts'
import { readManifest } from './dependencies-lock.ts'

interface Component {
  purl: string
  licenses?: unknown[]
  externalReferences?: { type: string; hashes?: { alg: string; content: string }[] }[]
}

const root = resolve(import.meta.dirname, '../..')
const components = new Map<string, Component>()

beforeAll(() => {
  const { packageManager = '', scripts = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const file = join(makeTemporaryFolder('bom'), 'bom.json')
  const [, ...args] = scripts.bom.split(' ').slice(0, -1)
  execFileSync('npx', ['-y', packageManager, ...args, file], { cwd: root })
  const bill = JSON.parse(readFileSync(file, 'utf8'))
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' })
  for (const component of bill.components) components.set(component.purl, component)
}, 120_000)

const purlOf = (name: string, version: string) => `pkg:npm/${name.replace('@', '%40')}@${version}`

test.each(['apps/server', 'apps/web', 'packages/contract'])(
  'every production dependency of %s is in the bill with its exact version, licence and hash',
  (folder) => {
    const { dependencies = {} } = readManifest(`${root}/${folder}/package.json`)
    const outside = Object.entries(dependencies).filter(([, version]) => version !== 'workspace:*')
    expect(outside.length).toBeGreaterThan(0)
    for (const [name, version] of outside) {
      const { licenses, externalReferences } = components.get(purlOf(name, version)) ?? {}
      expect(licenses, name).toHaveLength(1)
      expect(externalReferences?.find(({ type }) => type === 'distribution')?.hashes, name).toEqual([
        { alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) },
      ])
    }
  },
)

test('what they need in turn is there too', () => {
  expect([...components.keys()]).toEqual(expect.arrayContaining([expect.stringMatching(/^pkg:npm\/pg-protocol@/)]))
})

test('what is for development alone is in no bill; types that a shipped package names as its peers are', () => {
  const { devDependencies = {} } = readManifest(`${root}/package.json`)
  const named = Object.entries(devDependencies).filter(([name, version]) => components.has(purlOf(name, version)))
  // Except for the types all are shipped: tools use the product's own.
  expect(named.map(([name]) => name)).toEqual(['@node-rs/argon2', '@types/node', 'ioredis', 'pg', 'sharp', 'uqr'])
})
