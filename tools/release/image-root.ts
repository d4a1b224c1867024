import { execFileSync, type StdioOptions, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { givenToBuilder, type Image, type Instruction, project } from './dockerfile.ts'

const quiet: { stdio: StdioOptions } = { stdio: ['ignore', 'ignore', 'inherit'] }

/** A certificate authority that only this machine knows, should its network need one. */
function copyTrust(root: string): Record<string, string> {
  const { NODE_EXTRA_CA_CERTS } = process.env
  if (!NODE_EXTRA_CA_CERTS) return {}
  const file = '/etc/trusted-here.pem'
  cpSync(NODE_EXTRA_CA_CERTS, join(root, file))
  return { NODE_EXTRA_CA_CERTS: file, npm_config_cafile: file }
}

export interface Base {
  root: string
  trust: Record<string, string>
}

/** What node:24-bookworm-slim holds, made from its parts: the smallest Debian 12, Node and npm where it has them, its user. */
export function makeBase(root: string): Base {
  // It mounts what it needs below the new root; here these go with it.
  execFileSync('unshare', ['--mount', 'debootstrap', '--variant=minbase', 'bookworm', root], quiet)
  cpSync(process.execPath, join(root, 'usr/local/bin/node'))
  const npm = realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())
  const packages = join(root, 'usr/local/lib/node_modules')
  cpSync(join(npm, '../..'), join(packages, 'npm'), { recursive: true })
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr/local/bin', name))
  cpSync('/etc/resolv.conf', join(root, 'etc/resolv.conf'))
  execFileSync('chroot', [root, 'useradd', '--uid', '1000', '--create-home', 'node'], quiet)
  return { root, trust: copyTrust(root) }
}

const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** A stage while it is built: its files, and where its steps run. */
export interface Stage {
  root: string
  folder: string
}

/** Does one step of a Dockerfile; those that only set something are read by `imageOf`. */
export function follow({ name, rest }: Instruction, stage: Stage, stages: Map<string, string>, base: Base): void {
  if (name === 'WORKDIR') {
    stage.folder = rest
    mkdirSync(join(stage.root, rest), { recursive: true })
  } else if (name === 'COPY') copy(rest.split(' '), stage, stages)
  else if (name === 'RUN')
    execFileSync('chroot', [stage.root, 'sh', '-ec', `cd ${stage.folder}\n${rest}`], {
      ...quiet,
      env: { PATH: path, HOME: '/root', ...base.trust },
    })
}

function copy(words: string[], stage: Stage, stages: Map<string, string>): void {
  const from = words[0]?.startsWith('--from=') ? stages.get(words.shift()?.slice(7) ?? '') : project
  const to = words.pop() ?? ''
  if (!from) throw new Error('COPY from a stage that there is not')
  const given = from === project ? givenToBuilder(readFileSync(join(project, '.dockerignore'), 'utf8')) : () => true
  const target = to.startsWith('/') ? join(stage.root, to) : join(stage.root, stage.folder, to)
  for (const word of words) {
    const source = join(from, word)
    const inside = relative(from, source)
    if (!existsSync(source) || !given(inside)) throw new Error(`COPY ${word}: the builder isn't given it`)
    // A file into a folder keeps its name; what a folder holds goes straight into the target.
    const place = to.endsWith('/') && !word.endsWith('.') ? join(target, basename(word)) : target
    cpSync(source, place, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (file) => file === from || given(relative(from, file)),
    })
  }
}

/** Files that can't be changed but below /tmp, a user who isn't root and can't become it. */
const contained = `
  mount --bind "$root" "$root"
  mount -t tmpfs tmpfs "$root/tmp"
  mount -t proc proc "$root/proc"
  mount -o remount,ro,bind "$root"
  exec chroot "$root" setpriv --reuid 1000 --regid 1000 --clear-groups --no-new-privs --bounding-set=-all -- "$@"`

/** A program as a container of the image would run it: with a read-only file system, without any right. */
export function inContainer(
  root: string,
  { environment }: Image,
  own: Record<string, string>,
  words: string[],
  stdio: StdioOptions = ['ignore', 'inherit', 'inherit'],
) {
  return spawn('unshare', ['--mount', 'sh', '-ec', contained, 'sh', ...words], {
    stdio,
    env: { PATH: path, ...environment, ...own, root },
  })
}
