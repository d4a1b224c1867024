import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { envExample } from '../../apps/server/src/platform/config/env-example.ts'
import { buildWeb } from '../run/product.ts'
import { bundleServer, packaged } from './bundle.ts'
import { licencesOf } from './licences.ts'
import { closureOf, copyPackages, manifestOf } from './packages.ts'

const root = join(import.meta.dirname, '../..')

/** Finds its own folder, also through a link, and runs under the Node that is on the path. */
const starter = `#!/bin/sh
home=$(dirname "$(dirname "$(readlink -f "$0")")")
export HUFU_WEB_FOLDER="\${HUFU_WEB_FOLDER:-$home/web}"
exec node "$home/lib/server/cli.js" "$@"
`

/** Files for operators who set up a machine, and our licence. Images are built from the sources. */
const forMachines = [
  'LICENSE',
  ...['backup', 'caddy', 'kubernetes', 'nginx', 'prometheus', 'systemd'].map((name) => `deploy/${name}`),
]

export interface Artefact {
  folder: string
  archive: string
}

function manifest(packages: Map<string, string>, version: string): string {
  const dependencies = Object.fromEntries([...packages].map(([name, folder]) => [name, manifestOf(folder).version]))
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { engines: object }
  const bin = { hufu: './bin/hufu' }
  const own = {
    name: 'hufu',
    version,
    license: 'Apache-2.0',
    private: true,
    type: 'module',
    engines,
    bin,
    dependencies,
  }
  return `${JSON.stringify(own, null, 2)}\n`
}

/**
 * Everything that a machine with Node needs to run the product, and nothing else, in a folder and packed; of this tree, or of
 * another one.
 */
export async function buildArtefact(
  output = join(root, 'release'),
  from = root,
  makePages: (folder: string) => Promise<void> | void = buildWeb,
): Promise<Artefact> {
  const server = join(from, 'apps/server')
  const { version } = manifestOf(server)
  const name = `hufu-${version}`
  const folder = join(output, name)
  rmSync(output, { recursive: true, force: true })
  mkdirSync(join(folder, 'bin'), { recursive: true })
  await makePages(join(folder, 'web'))
  const modules = await bundleServer(join(server, 'src'), join(folder, 'lib/server'))
  const packages = closureOf(packaged, server)
  copyPackages(packages, join(folder, 'node_modules'))
  cpSync(join(server, 'migrations'), join(folder, 'migrations'), { recursive: true })
  for (const part of forMachines.filter((each) => existsSync(join(from, each))))
    cpSync(join(from, part), join(folder, part), { recursive: true })
  writeFileSync(join(folder, 'package.json'), manifest(packages, version))
  writeFileSync(join(folder, 'THIRD-PARTY.txt'), licencesOf(modules, packages.values()))
  writeFileSync(join(folder, 'hufu.env.example'), envExample())
  writeFileSync(join(folder, 'bin/hufu'), starter)
  chmodSync(join(folder, 'bin/hufu'), 0o755)
  const archive = join(output, `${name}.tar.gz`)
  execFileSync('tar', ['-czf', archive, '-C', output, '--owner=0', '--group=0', '--sort=name', name])
  const sum = createHash('sha256').update(readFileSync(archive)).digest('hex')
  writeFileSync(`${archive}.sha256`, `${sum}  ${name}.tar.gz\n`)
  return { folder, archive }
}

if (import.meta.main) {
  const { archive } = await buildArtefact()
  console.log(archive)
}
