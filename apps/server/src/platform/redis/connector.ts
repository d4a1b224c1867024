import { createConnection, type NetConnectOpts, type Socket } from 'node:net'
import { type ConnectionOptions, connect } from 'node:tls'
import { AbstractConnector, type RedisOptions } from 'ioredis'

/**
 * Connects as the connector of ioredis does, which listens for the first error of a socket only. A TLS handshake can fail twice,
 * by our own verification and by the peer's alert; without a listener the second error would end the process.
 */
export class RedisConnector extends AbstractConnector {
  readonly #options: RedisOptions

  constructor(options: unknown) {
    const given = options as RedisOptions
    super(given.disconnectTimeout ?? 2_000)
    this.#options = given
  }

  connect(): Promise<Socket> {
    this.connecting = true
    const { host, port, family, path, tls } = this.#options
    const address = path ? { path } : { host, port, family }
    // As ioredis does: the client attaches its listeners in the same tick in which it gets the socket.
    return new Promise((resolve, reject) => {
      process.nextTick(() => {
        if (!this.connecting) return reject(new Error('Connection is closed.'))
        const stream = tls
          ? connect({ ...address, ...tls } as ConnectionOptions)
          : createConnection(address as NetConnectOpts)
        stream.once('error', (error) => {
          this.firstError = error
        })
        stream.on('error', () => {})
        this.stream = stream
        resolve(stream)
      })
    })
  }
}
