import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Certificate } from '../../tools/compat/https.ts'
import { boundToParent } from '../../tools/run/bound-to-parent.ts'
import { makeTemporaryFolder } from '../../tools/run/temporary-folder.ts'
import { freePort } from '../../tools/stores/ports.ts'

const program = '/usr/sbin/nginx'

/** One server on a port, by the config around and inside its block. */
const config = (folder: string, { listen, upstream = '', locations }: Proxied & { listen: string }) => `
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  ${upstream}
  server {
    ${listen}
    ${locations}
  }
}`

export interface Proxied {
  /** If given, only TLS is served. */
  tls?: Certificate
  upstream?: string
  locations: string
  /** What the others include, by name. */
  files?: Record<string, string>
}

/** The delivered proxy config, in front of our processes. */
export function deliveredProxy(ports: number[]): Proxied {
  const [first, second] = ports
  const delivered = (name: string) =>
    readFileSync(join(import.meta.dirname, '../../deploy/nginx', name), 'utf8')
      .replaceAll(':8081', `:${first}`)
      .replaceAll(':8082', `:${second}`)
  return {
    upstream: delivered('upstream.conf'),
    locations: delivered('locations.conf'),
    files: { 'proxy.conf': delivered('proxy.conf') },
  }
}

export interface Nginx {
  url: string
  stop(): Promise<void>
}

async function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await exit
}

/** A real proxy that adds the caller's address to whatever X-Forwarded-For it was given. */
export const startNginx = (api: string): Promise<Nginx> =>
  runNginx({
    locations: `location / {
      proxy_pass ${api};
      proxy_http_version 1.1;
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }`,
  })

/** The listen directive and the files it needs. */
const plain = (port: number) => ({ listen: `listen 127.0.0.1:${port} backlog=4096;`, files: {} })
const secure = (port: number, folder: string, { key, cert }: Certificate) => ({
  listen: `listen 127.0.0.1:${port} ssl http2 backlog=4096;
    ssl_certificate ${folder}/cert.pem;
    ssl_certificate_key ${folder}/key.pem;`,
  files: { 'key.pem': key, 'cert.pem': cert },
})

const answers = (url: string) =>
  new Promise<boolean>((resolve) => {
    const request = url.startsWith('https:') ? requestSecure : requestPlain
    request(`${url}/healthz`, { rejectUnauthorized: false }, (answer) => resolve(answer.resume().statusCode === 200))
      .on('error', () => resolve(false))
      .end()
  })

export async function runNginx(proxied: Proxied): Promise<Nginx> {
  if (!existsSync(program)) throw new Error('nginx is missing: apt-get install -y --no-install-recommends nginx-light')
  const folder = makeTemporaryFolder('nginx')
  // Its workers run as another user and keep large bodies in there for a moment.
  chmodSync(folder, 0o711)
  const port = await freePort()
  const { listen, files } = proxied.tls ? secure(port, folder, proxied.tls) : plain(port)
  const all = { 'nginx.conf': config(folder, { ...proxied, listen }), ...files, ...proxied.files }
  for (const [name, content] of Object.entries(all)) writeFileSync(join(folder, name), content, { mode: 0o600 })
  const child = spawn(
    ...boundToParent(program, ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')], 'SIGTERM'),
    {
      stdio: 'inherit',
    },
  )
  const url = `${proxied.tls ? 'https' : 'http'}://127.0.0.1:${port}`
  for (let waited = 0; !(await answers(url)); waited += 50) {
    if (waited > 30_000 || child.exitCode !== null) throw new Error('nginx did not start')
    await sleep(50)
  }
  async function stop() {
    await gone(child)
    rmSync(folder, { recursive: true, force: true })
  }
  return { url, stop }
}
