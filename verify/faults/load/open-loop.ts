import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Connection, openConnection } from './connection.ts'
import { freshKey, type Kind, type KindCounts, type Loaded, type Plan, type Times } from './plan.ts'

// node open-loop.ts PLAN: open-loop load: starts calls at a fixed rate, whatever happens to earlier ones, and prints the results.
const plan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Plan
const goodWithin = 1_000

interface Call {
  kind: Kind
  counts: KindCounts
  /** When the clock said it should begin. */
  due: number
}

interface Line {
  url: string
  connection: Connection
  call: Call | undefined
}

const byKind: Record<string, KindCounts> = {}
const okMs: number[] = []
const refusedMs: number[] = []
const perSecond = () => Array.from({ length: Math.ceil(plan.seconds) }, () => 0)
const bySecond = perSecond()
const missedBySecond = perSecond()
const next = new Map<Kind, number>()
const waiting: Call[] = []
/** Unused connections to each process. */
const free = new Map(plan.urls.map((url): [string, Line[]] => [url, []]))
let firstWaiting = 0
let open = 0
let good = 0
let failed = 0
let behind = 0
let underWay = 0
let begun = 0
let turn = 0

/** Kinds in the order of a whole round, spread evenly, so that every stretch of the load is mixed alike. */
function roundOf(kinds: Kind[]): Kind[] {
  const all = kinds.flatMap((kind) =>
    Array.from({ length: kind.weight }, (_, index) => ({ kind, at: (index + 0.5) / kind.weight })),
  )
  return all.toSorted((a, b) => a.at - b.at).map(({ kind }) => kind)
}

function requestOf(kind: Kind): string {
  const index = next.get(kind) ?? 0
  next.set(kind, index + 1)
  const request = kind.requests[index % kind.requests.length] ?? ''
  return request.includes(freshKey) ? request.replace(freshKey, randomUUID()) : request
}

function note(call: Call, answer: string): void {
  call.counts.answers[answer] = (call.counts.answers[answer] ?? 0) + 1
  underWay--
  const ms = performance.now() - call.due
  const second = Math.floor((call.due - started) / 1_000)
  if (/^2/.test(answer)) {
    call.counts.ok++
    okMs.push(ms)
    if (ms > goodWithin) return
    good++
    bySecond[second] = (bySecond[second] ?? 0) + 1
    return
  }
  missedBySecond[second] = (missedBySecond[second] ?? 0) + 1
  if (answer === '503') refusedMs.push(ms)
  else failed++
}

function takeNext(line: Line): void {
  while (firstWaiting < waiting.length) {
    const call = waiting[firstWaiting++] as Call
    if (performance.now() - call.due < plan.patience) {
      begin(line, call)
      return
    }
    note(call, 'late')
  }
  waiting.length = 0
  firstWaiting = 0
  free.get(line.url)?.push(line)
}

function begin(line: Line, call: Call): void {
  line.call = call
  line.connection.send(requestOf(call.kind))
}

function openLine(url: string, call: Call): void {
  open++
  const line: Line = {
    url,
    call: undefined,
    connection: openConnection(url, {
      answered(status, last) {
        const { call } = line
        line.call = undefined
        if (call) note(call, String(status))
        if (last) replaceLine(url)
        else takeNext(line)
      },
      gone() {
        open--
        const unused = free.get(url) ?? []
        if (unused.includes(line)) unused.splice(unused.indexOf(line), 1)
        if (line.call) note(line.call, 'broken')
      },
    }),
  }
  begin(line, call)
}

/** A call that waits for a connection that was closed takes a new one. */
function replaceLine(url: string): void {
  const call = waiting[firstWaiting]
  if (!call) return
  firstWaiting++
  openLine(url, call)
}

function waitForAny(call: Call): void {
  const line = [...free.values()].find(({ length }) => length > 0)?.pop()
  if (line) begin(line, call)
  else waiting.push(call)
}

function offer(call: Call): void {
  underWay++
  call.counts.sent++
  // In turn, as a load balancer would: a connection of the process whose turn it is, or a new one to it.
  const url = plan.urls[turn++ % plan.urls.length] ?? ''
  const line = free.get(url)?.pop()
  if (line) begin(line, call)
  else if (open < plan.connections) openLine(url, call)
  else waitForAny(call)
}

function times(ms: number[]): Times {
  const sorted = ms.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), longest: sorted.at(-1) ?? 0 }
}

function finish(): void {
  const left = underWay
  const loaded: Loaded = {
    offered: begun,
    seconds: plan.seconds,
    goodput: good / plan.seconds,
    ok: times(okMs),
    refused: times(refusedMs),
    failed: failed + left,
    kinds: byKind,
    bySecond: bySecond.slice(0, Math.ceil(plan.seconds)),
    missedBySecond,
    behind,
  }
  process.stdout.write(JSON.stringify(loaded), () => process.exit(0))
}

const round = roundOf(plan.kinds)
for (const { name } of plan.kinds) byKind[name] = { sent: 0, ok: 0, answers: {} }
const all = Math.floor(plan.seconds * plan.rate)
const started = performance.now()

function tick(): void {
  const now = performance.now()
  // The first is due at once, not after one interval.
  const owed = Math.min(Math.floor(((now - started) / 1_000) * plan.rate) + 1, all)
  behind = Math.max(behind, begun < owed ? now - (started + (begun / plan.rate) * 1_000) : 0)
  while (begun < owed) {
    const kind = round[begun % round.length] as Kind
    offer({ kind, counts: byKind[kind.name] as KindCounts, due: started + (begun / plan.rate) * 1_000 })
    begun++
  }
  const over = now - started - plan.seconds * 1_000
  if (over < 0) setTimeout(tick, 1)
  else if (underWay > 0 && over < plan.patience) setTimeout(tick, 20)
  else finish()
}
tick()
