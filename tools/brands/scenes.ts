interface Frame {
  width: number
  height: number
}

/** As large as a picture of its kind needs to be. */
export const wide: Frame = { width: 1920, height: 1200 }
export const tall: Frame = { width: 1080, height: 1440 }

const picture = ({ width, height }: Frame, top: string, bottom: string, inner: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 100 100" preserveAspectRatio="none">
  <linearGradient id="sky" x2="0" y2="1"><stop stop-color="${top}"/><stop offset="1" stop-color="${bottom}"/></linearGradient>
  <rect width="100" height="100" fill="url(#sky)"/>${inner}</svg>`

/** Ridges one before the other, the first the farthest. */
export function hills(frame: Frame, [top, bottom, ...ridges]: [string, string, ...string[]]): string {
  const drawn = ridges.map((fill, at) => {
    const y = 44 + (at * 44) / ridges.length
    const lift = 9 + at * 3
    const crest =
      at % 2
        ? `C22 ${y - lift} 40 ${y + 8} 60 ${y}S88 ${y - lift} 100 ${y}`
        : `C16 ${y + 8} 34 ${y - lift} 52 ${y}S84 ${y + lift} 100 ${y - 4}`
    return `<path fill="${fill}" d="M0 ${y}${crest}V100H0Z"/>`
  })
  return picture(frame, top, bottom, drawn.join(''))
}

/** A floor of bright lines that runs to the horizon. */
export function grid(frame: Frame, [top, bottom, line]: [string, string, string]): string {
  const columns = Array.from({ length: 21 }, (_, at) => `M50 55L${at * 20 - 150} 100`)
  const rows = Array.from({ length: 9 }, (_, at) => `M0 ${55 + (at * at * 45) / 64}H100`)
  const lines = `<path stroke="${line}" stroke-opacity=".7" stroke-width=".25" fill="none" d="${[...columns, ...rows].join('')}"/>`
  return picture(frame, top, bottom, `<rect y="54.8" width="100" height=".5" fill="${line}"/>${lines}`)
}

/** Walls and doorways, one behind the other. */
export function halls(frame: Frame, shades: [string, string, ...string[]]): string {
  const [top, bottom, ...walls] = shades
  const drawn = walls.map((fill, at) => {
    const left = 12 + at * 11
    const arch = 20 + at * 9
    return `<path fill="${fill}" d="M${left} 100V${arch + 12}C${left} ${arch - 6} ${100 - left} ${arch - 6} ${100 - left} ${arch + 12}V100Z"/>`
  })
  return picture(frame, top, bottom, drawn.join(''))
}

/** Round spots of paper on a wall. */
export function spots(frame: Frame, [top, bottom, ...paints]: [string, string, ...string[]]): string {
  const ratio = frame.width / frame.height
  const drawn = Array.from({ length: 40 }, (_, at) => {
    // Steps of the golden ratio: never in rows, never the same twice.
    const [x, y, size] = [(at * 61.8) % 100, (at * 2.5) % 100, 1.5 + ((at * 7) % 5)]
    return `<ellipse cx="${x}" cy="${y}" rx="${size}" ry="${size * ratio}" fill="${paints[at % paints.length]}"/>`
  })
  return picture(frame, top, bottom, drawn.join(''))
}
