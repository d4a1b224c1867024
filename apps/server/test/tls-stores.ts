import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { boundToParent } from '../../../tools/run/bound-to-parent.ts'
import { makeTemporaryFolder } from '../../../tools/run/temporary-folder.ts'
import { freePorts } from '../../../tools/stores/ports.ts'
import { type Postgres, startPostgres } from '../../../tools/stores/postgres.ts'

/** Stores with TLS only, under a certificate that is trusted only through its file. */
export interface TlsStores {
  /** For NODE_EXTRA_CA_CERTS. */
  ca: string
  postgres: Postgres
  /** One Redis, which 127.0.0.2 leads to as well, a name that the certificate doesn't hold. */
  single: number
  cluster: number[]
  stop(): Promise<void>
}

const authority = `[req]
distinguished_name=name
prompt=no
[name]
CN=stores of a test
[own]
basicConstraints=critical,CA:true
subjectAltName=DNS:localhost,IP:127.0.0.1
`

function makeCertificate(folder: string): { certificate: string; key: string } {
  const [config, certificate, key] = ['openssl.cnf', 'store.crt', 'store.key'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(config, authority)
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const made = ['req', '-x509', ...ec, '-days', '2', '-config', config, '-extensions', 'own']
  execFileSync('openssl', [...made, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  return { certificate, key }
}

/** PostgreSQL requires that its key file is readable by its owner alone. */
async function startTlsPostgres(folder: string, certificate: string, key: string): Promise<Postgres> {
  const own = join(folder, 'postgres.key')
  execFileSync('cp', [key, own])
  const owner = process.getuid?.() === 0 ? Number(execFileSync('id', ['-u', 'postgres'])) : statSync(own).uid
  chownSync(own, owner, statSync(own).gid)
  chmodSync(own, 0o600)
  return await startPostgres(folder, { ssl: 'on', ssl_cert_file: certificate, ssl_key_file: own })
}

function startTlsRedis(folder: string, port: number, files: string[], more: string[]) {
  const data = join(folder, `redis-${port}`)
  mkdirSync(data)
  const where = ['--port', '0', '--tls-port', String(port), '--bind', '127.0.0.1', '127.0.0.2', '--dir', data]
  const args = [...where, '--save', '', ...files, '--tls-auth-clients', 'no', ...more]
  const server = spawn(...boundToParent('redis-server', args), { stdio: 'ignore' })
  const gone = new Promise((resolve) => server.once('exit', resolve))
  return () => {
    server.kill('SIGKILL')
    return gone
  }
}

/** Asks until the answer is there: a server that starts, nodes that meet. */
async function until(said: RegExp, program: string, args: string[]): Promise<void> {
  for (let waited = 0; waited < 20_000; waited += 100) {
    try {
      if (said.test(execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))) return
    } catch {}
    await sleep(100)
  }
  throw new Error(`${program} ${args.join(' ')} never said ${said}`)
}

async function joinCluster(ports: number[], tls: string[]): Promise<void> {
  const nodes = ports.map((port) => `127.0.0.1:${port}`)
  execFileSync('redis-cli', [...tls, '--cluster', 'create', ...nodes, '--cluster-yes'], { stdio: 'ignore' })
  for (const port of ports)
    await until(/cluster_state:ok/, 'redis-cli', [...tls, '-p', String(port), 'cluster', 'info'])
}

export async function startTlsStores(): Promise<TlsStores> {
  const folder = makeTemporaryFolder('tls')
  chmodSync(folder, 0o755)
  const ends: (() => Promise<unknown>)[] = [async () => rmSync(folder, { recursive: true, force: true })]
  async function stop() {
    for (const end of ends.splice(0).reverse()) await end()
  }
  try {
    return { ...(await startIn(folder, ends)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startIn(folder: string, ends: (() => Promise<unknown>)[]): Promise<Omit<TlsStores, 'stop'>> {
  const { certificate, key } = makeCertificate(folder)
  const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate]
  const ports = await freePorts(4)
  const [single = 0, ...cluster] = ports
  const inCluster = ['--cluster-enabled', 'yes', '--tls-cluster', 'yes']
  for (const port of ports) ends.push(startTlsRedis(folder, port, files, port === single ? [] : inCluster))
  const tls = ['--tls', '--cacert', certificate]
  for (const port of ports) await until(/PONG/, 'redis-cli', [...tls, '-p', String(port), 'ping'])
  await joinCluster(cluster, tls)
  const postgres = await startTlsPostgres(folder, certificate, key)
  ends.push(postgres.stop)
  return { ca: certificate, postgres, single, cluster }
}
