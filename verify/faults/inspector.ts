import { readFileSync } from 'node:fs'

/** Memory and open resources of a process. */
export interface Held {
  heap: number
  external: number
  resident: number
  /** What keeps it running, by kind: sockets, timers, children. */
  handles: Record<string, number>
}

export interface Inspector {
  /** Without a collection: a process that answers calls isn't held up, and its garbage counts until it collects it itself. */
  glance(): Promise<Held>
  /** Once its garbage is collected, which stops a process for some hundred milliseconds and has it compile its code again. */
  held(): Promise<Held>
  /** Has an expression evaluated in the process. */
  evaluate(expression: string): Promise<void>
  close(): void
}

interface Answer {
  id: number
  result?: unknown
  error?: { message: string }
}

const look = `JSON.stringify({ external: process.memoryUsage().external,
  kinds: process.getActiveResourcesInfo() })`

function countByKind(kinds: string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

function residentOf(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1_024
}

/** Inspects a process that was started with --inspect, through the inspector protocol. */
export async function openInspector(port: number, pid: number): Promise<Inspector> {
  const listed = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()
  const [{ webSocketDebuggerUrl }] = listed as [{ webSocketDebuggerUrl: string }]
  const socket = new WebSocket(webSocketDebuggerUrl)
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data)) as Answer
    if (error) waiting.get(id)?.reject(new Error(error.message))
    else waiting.get(id)?.resolve(result)
    waiting.delete(id)
  })
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', reject)
  })
  let last = 0
  function order<Result>(method: string, params: object = {}): Promise<Result> {
    const answer = Promise.withResolvers<unknown>()
    waiting.set(++last, answer)
    socket.send(JSON.stringify({ id: last, method, params }))
    return answer.promise as Promise<Result>
  }
  async function glance(): Promise<Held> {
    const { usedSize } = await order<{ usedSize: number }>('Runtime.getHeapUsage')
    const { result } = await order<{ result: { value: string } }>('Runtime.evaluate', { expression: look })
    const { external, kinds } = JSON.parse(result.value) as { external: number; kinds: string[] }
    return { heap: usedSize, external, resident: residentOf(pid), handles: countByKind(kinds) }
  }
  async function held(): Promise<Held> {
    // What the first collection releases is freed by the second.
    for (const _ of [1, 2]) await order('HeapProfiler.collectGarbage')
    return glance()
  }
  const evaluate = async (expression: string) => void (await order('Runtime.evaluate', { expression }))
  return { glance, held, evaluate, close: () => socket.close() }
}
