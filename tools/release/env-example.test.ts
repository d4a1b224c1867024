import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../apps/server/src/platform/config/config.ts'
import { envExample, environmentVariables } from '../../apps/server/src/platform/config/env-example.ts'
import { newKey } from '../../apps/server/src/platform/crypto/secrets.ts'
import { exampleFile } from './env-example.ts'

const deploy = join(import.meta.dirname, '../../deploy')
const known = environmentVariables()

/** As systemd and containers read such a file. */
const read = (text: string): NodeJS.ProcessEnv =>
  Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]))

test('the example of the environment is as the server reads it', () => {
  expect(readFileSync(exampleFile, 'utf8')).toBe(envExample())
})

test('every variable has its sentence, and what must be given a line to fill in', () => {
  expect(known.filter(({ sentence }) => !/^\S.*[.\w]$/.test(sentence)).map(({ name }) => name)).toEqual([])
  expect(Object.keys(read(envExample()))).toEqual(known.filter(({ required }) => required).map(({ name }) => name))
})

test('as it is it is refused for its key alone; with one, the values that are shown change nothing', () => {
  expect(() => readConfig(read(envExample()))).toThrow(/^[^\n]*\n {2}HUFU_KEYS: must look like [^\n]*$/)
  const HUFU_KEYS = newKey()
  const shown = read(envExample().replaceAll(/^#(?=HUFU_)/gm, ''))
  const samples = known.filter(({ otherwise, required }) => otherwise === undefined && !required)
  for (const { name } of samples) delete shown[name]
  expect(Object.keys(shown).length).toBeGreaterThan(15)
  expect(readConfig({ ...shown, HUFU_KEYS })).toEqual(readConfig({ ...read(envExample()), HUFU_KEYS }))
})

/** Read by the proxy of deploy/compose.yaml alone. */
const ofOthers = ['HUFU_DOMAIN']

test('what is delivered for containers, Kubernetes and systemd sets variables that there are', () => {
  const files = globSync('**/*', { cwd: deploy, withFileTypes: true }).filter((file) => file.isFile())
  const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
  const found = new Set(texts.flatMap((text) => text.match(/\bHUFU_[A-Z_]+/g) ?? []))
  const names = known.map(({ name }) => name)
  expect([...found].filter((name) => !names.includes(name) && !ofOthers.includes(name))).toEqual([])
  expect(found.size).toBeGreaterThan(5)
})
