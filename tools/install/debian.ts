import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeTemporaryFolder } from '../run/temporary-folder.ts'

export interface Debian {
  root: string
  /** Runs a script there as root would, from the folder /root; throws where a command fails. */
  run(script: string, output?: 'inherit' | 'pipe'): string
  stop(): Promise<void>
}

/** Runs as the first process of its own namespace: adopts orphaned processes and ends them all with itself. */
const first = (root: string) => `
  ip link set lo up
  mount -t proc proc ${root}/proc
  mkdir -p ${root}/dev/shm ${root}/dev/pts
  mount -t devpts devpts ${root}/dev/pts
  mount -t tmpfs tmpfs ${root}/dev/shm
  echo ready
  while :; do sleep 1; done`

const debootstrap = '/usr/sbin/debootstrap'

/** A process started this way doesn't outlive this one. */
const mortal = ['--pdeathsig', 'KILL']

const environment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  LANG: 'C.UTF-8',
  DEBIAN_FRONTEND: 'noninteractive',
}

/** A certificate authority that only this machine knows, should its network need one. */
function copyTrust(root: string): Record<string, string> {
  const { NODE_EXTRA_CA_CERTS } = process.env
  if (!NODE_EXTRA_CA_CERTS) return {}
  writeFileSync(join(root, 'etc/ssl/trusted-here.pem'), readFileSync(NODE_EXTRA_CA_CERTS))
  return { NODE_EXTRA_CA_CERTS: '/etc/ssl/trusted-here.pem' }
}

async function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

async function connect(pid: string): Promise<ChildProcess> {
  const network = spawn(
    '/usr/bin/setpriv',
    [...mortal, 'slirp4netns', '--configure', '--mtu=65520', '--ready-fd=3', pid, 'tap0'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  )
  const ready = network.stdio[3]
  if (!ready) throw new Error('slirp4netns has no pipe')
  await Promise.race([
    once(ready, 'data'),
    once(network, 'exit').then(() => Promise.reject(new Error('slirp4netns ended'))),
  ])
  return network
}

/** An empty Debian 12 with files, processes and a network of its own; only the way out to others is shared. */
export async function emptyDebian(): Promise<Debian> {
  if (process.getuid?.() !== 0) throw new Error('only root can make a Debian of its own')
  if (![debootstrap, '/usr/bin/slirp4netns'].every((program) => existsSync(program)))
    throw new Error('missing: apt-get install -y --no-install-recommends debootstrap slirp4netns')
  const folder = makeTemporaryFolder('debian')
  const root = join(folder, 'root')
  execFileSync(debootstrap, ['--variant=minbase', 'bookworm', root], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  writeFileSync(join(root, 'etc/resolv.conf'), 'nameserver 10.0.2.3\n')
  mkdirSync(join(root, 'etc/ssl'), { recursive: true })
  const variables = { ...environment, ...copyTrust(root) }
  const separate = ['unshare', '--mount', '--net', '--pid', '--fork', '--kill-child']
  const apart = spawn('/usr/bin/setpriv', [...mortal, ...separate, 'bash', '-ec', first(root)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(apart.stdout, 'data')
  const pid = readFileSync(`/proc/${apart.pid}/task/${apart.pid}/children`, 'utf8').trim()
  const network = await connect(pid)
  const enter = ['--target', pid, '--mount', '--net', '--pid', 'chroot', root, 'bash', '-euc']

  return {
    root,
    run: (script, output = 'pipe') =>
      execFileSync('/usr/bin/nsenter', [...enter, `cd /root\n${script}`], {
        env: variables,
        encoding: 'utf8',
        stdio: ['ignore', output, 'inherit'],
      }) ?? '',
    async stop() {
      await gone(apart)
      await gone(network)
      // The last mounts go with the last process.
      await sleep(200)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
