import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Relay {
  port: number
  /** Delay in each direction, in milliseconds. */
  delay: number
  /** While it is, nothing arrives on either side, and neither side is notified. */
  partitioned: boolean
  /** Breaks every connection, with all data in transit. */
  cut(): void
  stop(): Promise<void>
}

/** Passes TCP on to another port, with the delay and loss that are set. */
export async function startRelay(target: { host: string; port: number }, host = '127.0.0.1'): Promise<Relay> {
  const sockets = new Set<Socket>()

  /** One direction: bytes in their order, each after the delay, and none during a partition. */
  function pass(from: Socket, to: Socket) {
    let before = Promise.resolve()
    const inOrder = (work: () => void) => {
      const due = performance.now() + relay.delay
      before = before.then(async () => {
        await sleep(Math.max(0, due - performance.now()))
        while (relay.partitioned && !from.destroyed) await sleep(10)
        if (!to.destroyed) work()
      })
    }
    from.on('data', (bytes) => inOrder(() => to.write(bytes)))
    from.on('end', () => inOrder(() => to.end()))
    from.on('error', () => to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      // Data in transit arrives first.
      void before.then(() => to.destroySoon())
    })
  }

  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ ...target, allowHalfOpen: true, noDelay: true })
    near.setNoDelay(true)
    sockets.add(near).add(far)
    pass(near, far)
    pass(far, near)
  })
  server.listen(0, host)
  await once(server, 'listening')
  const relay: Relay = {
    port: (server.address() as AddressInfo).port,
    delay: 0,
    partitioned: false,
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    async stop() {
      const closed = once(server, 'close')
      server.close()
      relay.cut()
      await closed
    },
  }
  return relay
}

// As a separate process, for a separate network namespace: `node relay.ts host port where-to-listen` prints its port.
if (import.meta.main) {
  const [, , host = '', port = '', where = ''] = process.argv
  const relay = await startRelay({ host, port: Number(port) }, where)
  process.stdout.write(`${relay.port}\n`)
}
