/**
 * What a process counts and measures of itself, as Prometheus reads it. Counts belong to the process, so they live
 * here.
 */
export type Labels = Readonly<Record<string, string>>

type Kind = 'counter' | 'gauge' | 'histogram'

export interface Sample {
  labels?: Labels
  value: number
}

/** Read when metrics are scraped. */
export interface Collector {
  name: string
  help: string
  kind?: 'counter' | 'gauge'
  read(): Sample[] | Promise<Sample[]>
}

interface Family {
  name: string
  help: string
  kind: Kind
  lines(): string[]
}

const families = new Map<string, Family>()

function register(family: Family): void {
  if (families.has(family.name)) throw new Error(`two metrics are called ${family.name}`)
  families.set(family.name, family)
}

const escaped = (value: string) => value.replace(/[\\"\n]/g, (one) => (one === '\n' ? '\\n' : `\\${one}`))

const pairs = (labels: Labels): string[] => Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)

function line(name: string, labels: string[], value: number): string {
  return `${name}${labels.length > 0 ? `{${labels.join(',')}}` : ''} ${value}`
}

/** One series for every set of labels, made when it is first named. */
function seriesOf<Series>(make: () => Series) {
  const all = new Map<string, { labels: string[]; series: Series }>()
  return {
    all,
    of(labels: Labels = {}): Series {
      const written = pairs(labels)
      const key = written.join(',')
      const found = all.get(key) ?? { labels: written, series: make() }
      all.set(key, found)
      return found.series
    },
  }
}

export interface Count {
  value: number
}

export interface Counts {
  /** Keep the result where counting is frequent. */
  of(labels?: Labels): Count
  add(labels?: Labels): void
}

function counts(kind: Kind, name: string, help: string): Counts {
  const { all, of } = seriesOf<Count>(() => ({ value: 0 }))
  const lines = () => [...all.values()].map(({ labels, series }) => line(name, labels, series.value))
  register({ name, help, kind, lines })
  return {
    of,
    add(labels) {
      of(labels).value++
    },
  }
}

export const counter = (name: string, help: string): Counts => counts('counter', name, help)

/** Goes up and down. */
export const gauge = (name: string, help: string): Count => counts('gauge', name, help).of()

/** Seconds since something was last done, or since the start of the process. */
export function sinceLast(name: string, help: string): { done(): void } {
  let last = 0
  const lines = () => [line(name, [], (performance.now() - last) / 1_000)]
  register({ name, help, kind: 'gauge', lines })
  return {
    done() {
      last = performance.now()
    },
  }
}

export interface Times {
  observe(seconds: number): void
}

/** Upper bounds in seconds: quick, noticeable, broken. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

class Spread implements Times {
  readonly buckets = new Float64Array(bounds.length + 1)
  sum = 0

  observe(seconds: number): void {
    let bucket = 0
    while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket++
    this.buckets[bucket] = (this.buckets[bucket] as number) + 1
    this.sum += seconds
  }

  lines(name: string, labels: string[]): string[] {
    let count = 0
    const cumulative = [...this.buckets].map((each, index) => {
      count += each
      return line(`${name}_bucket`, [...labels, `le="${bounds[index] ?? '+Inf'}"`], count)
    })
    return [...cumulative, line(`${name}_sum`, labels, this.sum), line(`${name}_count`, labels, count)]
  }
}

export function histogram(name: string, help: string): { of(labels?: Labels): Times } {
  const { all, of } = seriesOf(() => new Spread())
  const lines = () => [...all.values()].flatMap(({ labels, series }) => series.lines(name, labels))
  register({ name, help, kind: 'histogram', lines })
  return { of }
}

/** Throttles a read: several collectors share one result within this time. */
export function atMostEvery<Value>(ms: number, look: () => Promise<Value>): () => Promise<Value> {
  let last: { at: number; value: Promise<Value> } | undefined
  return () => {
    const now = performance.now()
    if (!last || now - last.at > ms) last = { at: now, value: look() }
    return last.value
  }
}

const headed = (name: string, help: string, kind: Kind, lines: string[]): string[] =>
  lines.length > 0 ? [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...lines] : []

async function collectorLines({ name, help, kind = 'gauge', read }: Collector): Promise<string[]> {
  // A collector that fails is missing from this answer, and doesn't affect the others.
  const samples = await (async () => read())().catch((): Sample[] => [])
  const lines = samples.map(({ labels = {}, value }) => line(name, pairs(labels), value))
  return headed(name, help, kind, lines)
}

/** Everything, in the text format 0.0.4. */
export async function exposition(collectors: readonly Collector[]): Promise<string> {
  const counted = [...families.values()].flatMap(({ name, help, kind, lines }) => headed(name, help, kind, lines()))
  const read = await Promise.all(collectors.map(collectorLines))
  return `${[...counted, ...read.flat()].join('\n')}\n`
}
