import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createServer, type TLSSocket } from 'node:tls'
import { makeTemporaryFolder } from '../run/temporary-folder.ts'

export interface Certificate {
  key: Buffer
  cert: Buffer
}

/** A self-signed certificate for this run alone. */
export function certificate(): Certificate {
  const folder = makeTemporaryFolder('compat')
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const options = [
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '1',
    '-subj',
    '/CN=localhost',
    '-keyout',
    key,
    '-out',
    cert,
  ]
  execFileSync('openssl', ['req', '-x509', ...options], { stdio: 'ignore' })
  const made = { key: readFileSync(key), cert: readFileSync(cert) }
  rmSync(folder, { recursive: true })
  return made
}

/** TLS in front of a port: browsers of these years take a `__Host-` cookie from nowhere else, not even from localhost. */
export async function putTlsBefore(port: number, behind: number): Promise<{ stop(): Promise<void> }> {
  const open = new Set<TLSSocket>()
  const server = createServer(certificate(), (visitor) => {
    const inside = connect(behind, '127.0.0.1')
    open.add(visitor.once('close', () => open.delete(visitor)))
    for (const socket of [visitor, inside]) socket.on('error', () => [visitor, inside].map((each) => each.destroy()))
    visitor.pipe(inside).pipe(visitor)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    async stop() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
