import { execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { boundToParent } from '../../tools/run/bound-to-parent.ts'
import { isAbandoned, owner } from '../../tools/run/temporary-folder.ts'

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' })

/** Why this machine can't create a network namespace, if so. */
export function refusedBecause(): string | undefined {
  const name = `hufu-try-${process.pid}`
  try {
    run('ip', 'netns', 'add', name)
    run(
      'ip',
      'netns',
      'exec',
      name,
      'iptables',
      '-A',
      'INPUT',
      '-m',
      'statistic',
      '--mode',
      'random',
      '--probability',
      '0.05',
      '-j',
      'DROP',
    )
    return undefined
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (missing) throw new Error('missing: apt-get install -y --no-install-recommends iproute2 iptables')
    return String((error as { stderr?: string }).stderr ?? error).trim()
  } finally {
    quietly('ip', 'netns', 'delete', name)
  }
}

function quietly(program: string, ...args: string[]): void {
  try {
    run(program, ...args)
  } catch {
    // It was never there, or is gone already.
  }
}

/** The veth pair is removed with the namespace that one end is in. */
function removeAbandoned(): void {
  for (const [name = ''] of run('ip', 'netns', 'list').matchAll(/^hufu-[\d-]+/gm))
    if (isAbandoned(name)) quietly('ip', 'netns', 'delete', name)
}

export interface LossyNetwork {
  /** Where a process of this machine's own network is reached from within. */
  gateway: string
  /** Starts a relay within, to a port of the gateway; answers where it is reached. */
  relay(port: number): Promise<string>
  /** Packets dropped so far. */
  dropped(): number
  stop(): Promise<void>
}

/** A network namespace behind a veth pair that loses this share of all packets each way. */
export function openLossyNetwork(loss: number): LossyNetwork {
  const number = randomInt(16_384)
  removeAbandoned()
  const name = `hufu-${owner}`
  const [outside, inside] = [`hufu${number}a`, `hufu${number}b`]
  // Addresses that are set aside for tests of networks.
  const net = `198.18.${number >> 6}.${(number & 63) * 4}`
  const at = (host: number) => net.replace(/\d+$/, (last) => String(Number(last) + host))
  const [gateway, within] = [at(1), at(2)]
  const children: ReturnType<typeof spawn>[] = []

  async function stop() {
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    }
    quietly('ip', 'link', 'delete', outside)
    quietly('ip', 'netns', 'delete', name)
  }

  const exec = (...args: string[]) => run('ip', 'netns', 'exec', name, ...args)
  try {
    run('ip', 'netns', 'add', name)
    run('ip', 'link', 'add', outside, 'type', 'veth', 'peer', 'name', inside)
    run('ip', 'link', 'set', inside, 'netns', name)
    run('ip', 'address', 'add', `${gateway}/30`, 'dev', outside)
    run('ip', 'link', 'set', outside, 'up')
    exec('ip', 'address', 'add', `${within}/30`, 'dev', inside)
    exec('ip', 'link', 'set', inside, 'up')
    for (const chain of ['INPUT', 'OUTPUT'])
      exec('iptables', '-A', chain, '-m', 'statistic', '--mode', 'random', '--probability', String(loss), '-j', 'DROP')
  } catch (error) {
    void stop()
    throw error
  }

  return {
    gateway,
    async relay(port) {
      const relay = join(import.meta.dirname, '../harness/relay.ts')
      const command = ['netns', 'exec', name, process.execPath, relay, gateway, String(port), within]
      const child = spawn(...boundToParent('ip', command), {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      children.push(child)
      const [printed] = (await once(child.stdout, 'data')) as [Buffer]
      return `http://${within}:${printed.toString().trim()}`
    },
    dropped: () =>
      [...exec('iptables', '-L', '-v', '-x', '-n').matchAll(/^\s*(\d+)\s+\d+\s+DROP/gm)].reduce(
        (sum, [, packets]) => sum + Number(packets),
        0,
      ),
    stop,
  }
}
