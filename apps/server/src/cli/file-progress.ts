import { stderr } from 'node:process'

const width = 28
/** A line in this time where no terminal shows a bar. */
const everyMs = 5_000
const barEveryMs = 100

const number = (value: number) => Math.round(value).toLocaleString('en-US')

function timeLeft(seconds: number): string {
  if (!Number.isFinite(seconds)) return ''
  if (seconds < 90) return `${Math.ceil(seconds)} s left`
  return seconds < 5_400 ? `${Math.ceil(seconds / 60)} min left` : `${(seconds / 3_600).toFixed(1)} h left`
}

export interface Measure {
  /** How much of all is done. */
  done: number
  all: number
  rows: number
  note?: string
}

/** How far a command is: a bar in a terminal, else a line now and then. On standard error, beside what it prints. */
export function followProgress(begun: Pick<Measure, 'done' | 'rows'> = { done: 0, rows: 0 }) {
  const started = performance.now()
  const bar = Boolean(stderr.isTTY)
  let shownAt = Number.NEGATIVE_INFINITY

  function lineOf({ done, all, rows, note = '' }: Measure, now: number): string {
    const part = all > 0 ? Math.min(done / all, 1) : 1
    const seconds = (now - started) / 1000
    const rate = (rows - begun.rows) / seconds
    const left = ((all - done) / (done - begun.done)) * seconds
    const filled = Math.round(part * width)
    const drawn = bar ? `[${'█'.repeat(filled)}${'·'.repeat(width - filled)}] ` : ''
    return [`${drawn}${(part * 100).toFixed(1)} %`, `${number(rows)} rows`, `${number(rate)}/s`, timeLeft(left), note]
      .filter(Boolean)
      .join('  ')
  }

  return {
    show(measure: Measure) {
      const now = performance.now()
      if (now - shownAt < (bar ? barEveryMs : everyMs) && measure.done < measure.all) return
      shownAt = now
      stderr.write(bar ? `\r\x1b[2K${lineOf(measure, now)}` : `${lineOf(measure, now)}\n`)
    },
    end() {
      if (bar) stderr.write('\n')
    },
  }
}
