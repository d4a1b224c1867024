import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { createFaults, type Faults } from './faults.ts'
import type { InboxStore } from './inbox-store.ts'
import { listen, type Simulator, sendJson } from './loopback.ts'

const folder = join(import.meta.dirname, 'inbox-page')

const files: Record<string, [name: string, type: string]> = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
  '/icon.svg': ['icon.svg', 'image/svg+xml'],
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"

export interface InboxOptions {
  /** Any free one unless given. */
  port?: number
  store: InboxStore
  /** What `POST /control` sets; SMTP itself has no way to set it. */
  smtpFaults?: Faults
}

/** The development inbox: a page for users and `/api/messages` for tests. */
export function startInbox({ port = 0, store, smtpFaults = createFaults() }: InboxOptions): Promise<Simulator> {
  return listen(port, async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://inbox')
    const file = files[pathname]
    if (file) return sendFile(response, ...file)
    if (pathname === '/control') return smtpFaults.control(request, response)
    if (pathname === '/api/events') return sendEvents(response, store)
    if (pathname !== '/api/messages') return sendJson(response, 404, { message: 'not found' })
    sendJson(response, 200, { data: store.list(searchParams.get('to') ?? undefined) })
  })
}

async function sendFile(response: ServerResponse, name: string, type: string): Promise<void> {
  const body = await readFile(join(folder, name))
  const headers = {
    'content-type': type,
    'cache-control': 'no-cache',
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  }
  response.writeHead(200, headers).end(body)
}

/** Server-sent events, one a message. */
function sendEvents(response: ServerResponse, store: InboxStore): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  response.write('retry: 1000\n\n')
  const stop = store.follow((message) => response.write(`data: ${JSON.stringify(message)}\n\n`))
  response.once('close', stop)
}
