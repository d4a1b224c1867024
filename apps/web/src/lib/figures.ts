const grouped = new Intl.NumberFormat('zh-CN')

/** With thousands apart: 7,415,083. */
export const numberText = (value: number) => grouped.format(value)

const percent = (share: number) => `${(share * 100).toFixed(1)}%`

/** Beyond this a percentage says nothing but "many times". */
const mostChange = 9.99

export interface Change {
  kind: 'up' | 'down' | 'same' | 'none'
  text: string
}

/** The change against the former figure; there is none against zero. */
export function changeOf(now: number, before: number): Change {
  if (before === 0) return { kind: 'none', text: '—' }
  const change = (now - before) / before
  const text = change > mostChange ? `>${Math.floor(mostChange * 100)}%` : percent(Math.abs(change))
  if (text === percent(0)) return { kind: 'same', text }
  return { kind: change > 0 ? 'up' : 'down', text }
}

/** How many of those at one step reached the next. */
export const rateText = (reached: number, of: number) => (of === 0 ? '—' : percent(reached / of))

/** A share for drawing, within 0 and 1. */
export const shareOf = (part: number, whole: number) => (whole === 0 ? 0 : Math.min(1, Math.max(0, part / whole)))

interface Units {
  tenThousands: (count: string) => string
  hundredMillions: (count: string) => string
}

/** A round number in few characters, for the axis. */
export function tickText(value: number, { tenThousands, hundredMillions }: Units): string {
  if (value >= 1e8) return hundredMillions(numberText(value / 1e8))
  return value >= 1e4 ? tenThousands(numberText(value / 1e4)) : numberText(value)
}
