export interface Kind {
  name: string
  /** Its part of all calls, against the sum of all weights. */
  weight: number
  call(): Promise<{ status: number; body: string }>
}

export interface Load {
  counts: {
    offered: number
    ok: number
    /** What wasn't answered well, by kind and answer. */
    failed: Record<string, number>
    /** The longest that a call took from when it was due, in milliseconds. */
    longest: number
  }
  /** Begins no more and waits for those under way. */
  stop(): Promise<void>
}

/** Each kind as often as it weighs, spread evenly. */
function roundOf(kinds: Kind[]): Kind[] {
  const all = kinds.flatMap((kind) =>
    Array.from({ length: kind.weight }, (_, index) => ({ kind, at: (index + 0.5) / kind.weight })),
  )
  return all.toSorted((a, b) => a.at - b.at).map(({ kind }) => kind)
}

/** Starts calls at a fixed rate, whatever happens to earlier ones, until it is stopped. Nothing is retried. */
export function keepCalling(rate: number, kinds: Kind[]): Load {
  const counts: Load['counts'] = { offered: 0, ok: 0, failed: {}, longest: 0 }
  const round = roundOf(kinds)
  const started = performance.now()
  const underWay = new Set<Promise<void>>()
  const fail = (words: string) => {
    counts.failed[words] = (counts.failed[words] ?? 0) + 1
  }
  async function begin({ name, call }: Kind, due: number) {
    try {
      const { status, body } = await call()
      if (status >= 200 && status < 300) counts.ok++
      else fail(`${name} ${status} ${body.slice(0, 80)}`)
    } catch (error) {
      fail(`${name} ${(error as NodeJS.ErrnoException).code ?? error}`)
    }
    counts.longest = Math.max(counts.longest, performance.now() - due)
  }
  const timer = setInterval(() => {
    const owed = Math.floor(((performance.now() - started) / 1_000) * rate)
    for (; counts.offered < owed; counts.offered++) {
      const kind = round[counts.offered % round.length] as Kind
      const one: Promise<void> = begin(kind, started + (counts.offered / rate) * 1_000).finally(() =>
        underWay.delete(one),
      )
      underWay.add(one)
    }
  }, 2)
  return {
    counts,
    async stop() {
      clearInterval(timer)
      await Promise.all(underWay)
    },
  }
}
