import { type Environment, type Running, ready, runHufu } from '../../tools/run/product.ts'
import { freePorts } from '../../tools/stores/ports.ts'

export interface Servers {
  ports: number[]
  stop(): Promise<void>
  /** Starts them again on the same ports. */
  start(): Promise<void>
}

/** API processes of the product, ready for calls. */
export async function startServers(environment: Environment, count: number): Promise<Servers> {
  const ports = await freePorts(count)
  let running: Running[] = []
  async function start() {
    running = ports.map((port) => runHufu('serve', { ...environment, HUFU_PORT: String(port) }))
    await Promise.all(running.map((server, at) => ready(`http://127.0.0.1:${ports[at]}`, server)))
  }
  async function stop() {
    await Promise.all(running.map((server) => server.stop()))
    running = []
  }
  await start()
  return { ports, start, stop }
}
