import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../tools/stores/ports.ts'
import { send } from './http.ts'

const program = '/usr/sbin/nginx'

/** One server on a port, by what stands around it and in it. */
const config = (folder: string, port: number, { upstream = '', locations }: Proxied) => `
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
    listen 127.0.0.1:${port} backlog=4096;
    ${locations}
  }
}`

export interface Proxied {
  upstream?: string
  locations: string
  /** What the others include, by name. */
  files?: Record<string, string>
}

/** The proxy as it is delivered, before processes of ours. */
export function deliveredProxy(ports: number[]): Proxied {
  const [first, second] = ports
  const delivered = (name: string) =>
    readFileSync(join(import.meta.dirname, '../deploy/nginx', name), 'utf8')
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

export async function runNginx(proxied: Proxied): Promise<Nginx> {
  if (!existsSync(program)) throw new Error('nginx is missing: apt-get install -y --no-install-recommends nginx-light')
  const folder = mkdtempSync(join(tmpdir(), 'hufu-nginx-'))
  const port = await freePort()
  const files = { 'nginx.conf': config(folder, port, proxied), ...proxied.files }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const child = spawn(program, ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')], {
    stdio: 'inherit',
  })
  const url = `http://127.0.0.1:${port}`
  const answers = () =>
    send(url, { path: '/healthz', method: 'GET' }).then(
      ({ status }) => status === 200,
      () => false,
    )
  for (let waited = 0; !(await answers()); waited += 50) {
    if (waited > 5_000 || child.exitCode !== null) throw new Error('nginx did not start')
    await sleep(50)
  }
  async function stop() {
    await gone(child)
    rmSync(folder, { recursive: true, force: true })
  }
  return { url, stop }
}
