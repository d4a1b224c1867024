import { Agent, type IncomingHttpHeaders, request } from 'node:http'

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  body: string
  /** From the first byte sent to the last byte received. */
  ms: number
}

export interface Request {
  path: string
  headers?: Record<string, string | string[]>
  body?: string | Buffer
  method?: string
  /** The address of this machine that the call leaves from. */
  from?: string
}

const agent = new Agent({ keepAlive: true, maxSockets: 1_024 })

/** fetch can't set Host, so calls go through node:http. */
export function send(url: string, { path, headers = {}, body = '', method = 'POST', from }: Request): Promise<Reply> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const started = performance.now()
    const call = request(
      { agent, hostname, port, path, method, headers, ...(from && { localAddress: from }) },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString('utf8'),
            ms: performance.now() - started,
          }),
        )
      },
    )
    call.on('error', (error: NodeJS.ErrnoException) => {
      // A kept-alive connection that the server has just closed: browsers retry requests without side effects.
      const closed = call.reusedSocket && error.code === 'ECONNRESET' && method === 'GET'
      if (closed) resolve(send(url, { path, headers, body, method, ...(from && { from }) }))
      else reject(error)
    })
    call.end(body)
  })
}

/** Runs a task `count` times with at most `width` in progress. */
export async function together<Value>(
  count: number,
  width: number,
  work: (index: number) => Promise<Value>,
): Promise<Value[]> {
  const results = new Array<Value>(count)
  let next = 0
  async function worker() {
    while (next < count) {
      const index = next++
      results[index] = await work(index)
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, count) }, worker))
  return results
}

/** How often each value occurs, most frequent first. */
export function tally(values: (string | number | undefined)[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(String(value), (counts.get(String(value)) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a))
}
