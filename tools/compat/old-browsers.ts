import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import type { Browser, BrowserType } from '@playwright/test'

// Browsers of the years that WeChat on old phones still carries, and a Playwright of that time. Deliberately
// no dependencies of the project: 100 MB that one command needs. The npm client fetches them when it runs first.

/** Git ignores it. */
export const cache = join(import.meta.dirname, '../../node_modules/.cache/compat')

interface Package {
  name: string
  /** SHA-512 of the package file: what runs here is a program from outside. */
  hash: string
}

const driver: Package = {
  name: 'playwright-core@1.28.1',
  hash: '3PixLnGPno0E8rSBJjtwqTwJe3Yw72QwBBBxNoukIj3lEeBNXwbNiKrNuB1oyQgTBw5QHUhNO3SteEtHaMK6ag==',
}

const browsers: Record<string, Package> = {
  '107': {
    name: '@sparticuz/chromium@107.0.0',
    hash: 'k5J8y36j5YRYfzBwnyBIiN4zsy6ZZMRIAVj8em7IqISrf/9lB/bpdEK1i/sUXtxr1S4qTDAopVNSqBLbTFL0GQ==',
  },
  '92': {
    name: 'chrome-aws-lambda@10.1.0',
    hash: 'NZQVf+J4kqG4sVhRm3WNmOfzY0OtTSm+S8rg77pwePa9RCYHzhnzRs8YvNI6L9tALIW6RpmefWiPURt3vURXcw==',
  },
}
/** Newest first. */
export const versions = Object.keys(browsers).toReversed()

/** The folder of a package; whole or not there at all, since it is renamed when it is complete. */
function fetchPackage({ name, hash }: Package, finish: (folder: string) => void = () => {}): string {
  const folder = join(cache, name.replaceAll('/', '-'))
  if (existsSync(folder)) return folder
  const unfinished = `${folder}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true })
  console.error(`fetching ${name} …`)
  const options = ['--silent', '--pack-destination', unfinished]
  const file = join(unfinished, execFileSync('npm', ['pack', name, ...options], { encoding: 'utf8' }).trim())
  const found = createHash('sha512').update(readFileSync(file)).digest('base64')
  if (found !== hash) throw new Error(`${name} is not the file it was: ${found}`)
  execFileSync('tar', ['xzf', file, '-C', unfinished, '--strip-components=1'])
  rmSync(file)
  finish(unfinished)
  renameSync(unfinished, folder)
  return folder
}

/** Program and shared libraries are packed once more inside the package. */
function unpackBrowser(folder: string): void {
  const unpacked = (name: string) => brotliDecompressSync(readFileSync(join(folder, 'bin', name)))
  execFileSync('tar', ['xf', '-', '-C', folder], { input: unpacked('aws.tar.br') })
  writeFileSync(join(folder, 'chromium'), unpacked('chromium.br'))
  chmodSync(join(folder, 'chromium'), 0o755)
  rmSync(join(folder, 'bin'), { recursive: true })
}

function requireLibraries(program: string, env: NodeJS.ProcessEnv): void {
  const linked = execFileSync('ldd', [program], { encoding: 'utf8', env })
  const missing = [...linked.matchAll(/^\s*(\S+) => not found/gm)].map(([, name]) => name)
  if (missing.length === 0) return
  const packages = 'libnss3 libnspr4 libexpat1 fonts-noto-cjk'
  throw new Error(`${missing.join(', ')} missing: apt-get install -y --no-install-recommends ${packages}`)
}

const args = ['--no-sandbox', '--disable-gpu', '--no-zygote', '--no-first-run', '--disable-background-networking']

/** A real browser of that version. Its driver knows no more than Playwright 1.28 did, whatever the types say. */
export async function launchOld(version: string): Promise<Browser> {
  const wanted = browsers[version]
  if (!wanted) throw new Error(`no browser ${version}; there are ${versions.join(', ')}`)
  const folder = fetchPackage(wanted, unpackBrowser)
  const env = { ...process.env, LD_LIBRARY_PATH: join(folder, 'lib') }
  const executablePath = join(folder, 'chromium')
  requireLibraries(executablePath, env)
  const { chromium } = createRequire(import.meta.url)(fetchPackage(driver)) as { chromium: BrowserType }
  return await chromium.launch({ executablePath, args, env: env as Record<string, string> })
}
