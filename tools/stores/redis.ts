import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { boundToParent } from '../run/bound-to-parent.ts'
import { freePort, freePorts } from './ports.ts'

export interface RedisNode {
  port: number
  kill(): Promise<void>
  start(): Promise<void>
}

export interface RedisStore {
  /** `redis://…` for a single server, `redis+cluster://a,b,c` for a cluster. */
  url: string
  nodes: RedisNode[]
  /** Stops every node at once, as a crash does. */
  kill(): Promise<void>
  /** Starts every node again. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** Nodes join once: with a short timeout they could miss each other for good on a busy machine. */
const patientMs = 15_000
/** The timeout afterwards, so that a killed primary is noticed soon. */
const nodeTimeoutMs = 1_000
/** Joining takes two seconds; what takes this long never ends. */
const longestMeeting = 40_000

const answersPing = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    socket.once('data', (answer) => {
      socket.destroy()
      resolve(answer.toString().startsWith('+PONG'))
    })
    socket.once('error', () => resolve(false))
    // A server that is too busy to answer yet is asked again.
    socket.once('close', () => resolve(false))
    socket.setTimeout(500, () => socket.destroy())
  })

async function startNode(folder: string, port: number, cluster: boolean): Promise<RedisNode> {
  const data = join(folder, `redis-${port}`)
  mkdirSync(data, { recursive: true })
  const log = join(data, 'log')
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--dir', data, '--save', '', '--appendonly', 'no']
  flags.push('--logfile', log, '--loglevel', 'warning')
  if (cluster) flags.push('--cluster-enabled', 'yes', '--cluster-require-full-coverage', 'no')
  let running: ReturnType<typeof spawn> | undefined
  let timeoutMs = patientMs
  async function start() {
    const timeout = cluster ? ['--cluster-node-timeout', String(timeoutMs)] : []
    const server = spawn(...boundToParent('redis-server', [...flags, ...timeout]), { stdio: 'ignore' })
    running = server
    timeoutMs = nodeTimeoutMs
    for (let waited = 0; !(await answersPing(port)); waited += 20) {
      if (server.exitCode !== null || waited > 10_000)
        throw new Error(`Redis did not start on port ${port}:\n${readFileSync(log, 'utf8').slice(-2_000)}`)
      await sleep(20)
    }
  }
  async function kill() {
    const server = running
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    running = undefined
    const gone = new Promise((resolve) => server.once('exit', resolve))
    server.kill('SIGKILL')
    await gone
  }
  await start()
  return { port, start, kill }
}

function store(url: string, nodes: RedisNode[]): RedisStore {
  const kill = async () => void (await Promise.all(nodes.map((node) => node.kill())))
  const start = async () => void (await Promise.all(nodes.map((node) => node.start())))
  return { url, nodes, kill, start, stop: kill }
}

export async function startRedis(folder: string): Promise<RedisStore> {
  const port = await freePort()
  return store(`redis://127.0.0.1:${port}`, [await startNode(folder, port, false)])
}

/** Three primaries with a replica each. */
export async function startRedisCluster(folder: string, tries = 3): Promise<RedisStore> {
  const ports = await freePorts(6)
  const nodes = await Promise.all(ports.map((port) => startNode(folder, port, true)))
  const addresses = ports.map((port) => `127.0.0.1:${port}`)
  try {
    const create = ['--cluster', 'create', ...addresses, '--cluster-replicas', '1', '--cluster-yes']
    execFileSync('redis-cli', create, { stdio: 'ignore', timeout: longestMeeting })
    await settled(ports)
  } catch (error) {
    await Promise.all(nodes.map((node) => node.kill()))
    if (tries <= 1) throw error
    return await startRedisCluster(folder, tries - 1)
  }
  for (const port of ports)
    execFileSync('redis-cli', ['-p', String(port), 'config', 'set', 'cluster-node-timeout', String(nodeTimeoutMs)])
  return store(`redis+cluster://${addresses.join(',')}`, nodes)
}

/** Every node must know that the cluster is whole, and every replica must have its copy: without one it can't be elected. */
async function settled(ports: number[]): Promise<void> {
  const ask = (port: number, ...words: string[]) =>
    execFileSync('redis-cli', ['-p', String(port), ...words], { encoding: 'utf8' })
  const knowsAll = (port: number) => {
    const state = ask(port, 'cluster', 'info')
    return state.includes('cluster_state:ok') && state.includes('cluster_known_nodes:6')
  }
  const hasCopy = (port: number) => ask(port, 'info', 'replication').includes('master_link_status:up')
  for (let waited = 0; waited < 20_000; waited += 100) {
    if (ports.every(knowsAll) && ports.filter(hasCopy).length === ports.length / 2) return
    await sleep(100)
  }
  throw new Error('the Redis cluster did not come together')
}
