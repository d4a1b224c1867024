export interface Kind {
  name: string
  /** Its part of all calls, against the sum of all weights. */
  weight: number
  call(): Promise<{ status: number; body: string }>
}

export interface Load {
  told: {
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

/** Begins calls by the clock, whatever becomes of those before, until it is stopped. Nothing is tried again. */
export function keepCalling(rate: number, kinds: Kind[]): Load {
  const told: Load['told'] = { offered: 0, ok: 0, failed: {}, longest: 0 }
  const round = roundOf(kinds)
  const started = performance.now()
  const underWay = new Set<Promise<void>>()
  const fail = (words: string) => {
    told.failed[words] = (told.failed[words] ?? 0) + 1
  }
  async function begin({ name, call }: Kind, due: number) {
    try {
      const { status, body } = await call()
      if (status >= 200 && status < 300) told.ok++
      else fail(`${name} ${status} ${body.slice(0, 80)}`)
    } catch (error) {
      fail(`${name} ${(error as NodeJS.ErrnoException).code ?? error}`)
    }
    told.longest = Math.max(told.longest, performance.now() - due)
  }
  const timer = setInterval(() => {
    const owed = Math.floor(((performance.now() - started) / 1_000) * rate)
    for (; told.offered < owed; told.offered++) {
      const kind = round[told.offered % round.length] as Kind
      const one: Promise<void> = begin(kind, started + (told.offered / rate) * 1_000).finally(() =>
        underWay.delete(one),
      )
      underWay.add(one)
    }
  }, 2)
  return {
    told,
    async stop() {
      clearInterval(timer)
      await Promise.all(underWay)
    },
  }
}
