import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { freePort, freePorts } from './ports.ts'

const ports = JSON.stringify(join(import.meta.dirname, 'ports.ts'))
/** A process that reserves ports, prints them and keeps them until its input ends. */
const program = `
const { freePorts } = await import(${ports})
console.log(JSON.stringify(await freePorts(100)))
process.stdin.resume()`

const run = promisify(execFile)

test('many processes that reserve at the same time are given different ports', async () => {
  const reserving = Array.from({ length: 4 }, () => run(process.execPath, ['--input-type=module', '-e', program]))
  await Promise.all(reserving.map(({ child }) => once(child.stdout ?? process.stdin, 'data')))
  const own = await freePorts(100)
  for (const { child } of reserving) child.stdin?.end()
  const all = (await Promise.all(reserving)).flatMap(({ stdout }) => JSON.parse(stdout) as number[])
  expect(new Set([...all, ...own]).size).toBe(500)
})

test('no port is one that the system gives to an outgoing connection', async () => {
  const [first = 0] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split('\t').map(Number)
  // The second port of a node of a Redis Cluster is 10000 higher.
  expect(Math.max(...(await freePorts(50))) + 10_000).toBeLessThan(first)
})

test('a port is not given again while its process runs, also when nothing listens on it yet', async () => {
  const before = await freePorts(200)
  expect(before).not.toContain(await freePort())
  expect(new Set([...before, ...(await freePorts(200))]).size).toBe(400)
})

/** A server of a program that reserves nothing. */
async function listenAnywhere(first: number): Promise<{ port: number; close(): void }> {
  for (;;) {
    const port = first + randomInt(10_000)
    const server = createServer().listen(port, '127.0.0.1')
    const listening = once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (await listening) return { port, close: () => server.close() }
  }
}

test('a port that is in use is passed over, also where only the second port of a cluster node is', async () => {
  const [first, second] = [await listenAnywhere(12_000), await listenAnywhere(22_000)]
  expect(await freePort(first.port)).not.toBe(first.port)
  expect(await freePort(second.port - 10_000)).not.toBe(second.port - 10_000)
  first.close()
  second.close()
})
