import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** The oldest Chromium in which everything works, as in apps/web/vite.config.ts. */
const floor = 107

interface Feature {
  what: string
  /** The Chromium that brought it. */
  since: number
  pattern: RegExp
}

const feature = (what: string, since: number, pattern: RegExp): Feature => ({ what, since, pattern })

/** APIs that a build doesn't translate and that fail in an old browser. Syntax is left out: the build target covers it. */
const inScripts: Feature[] = [
  feature('Array copies that are changed', 110, /\.(toSorted|toReversed|toSpliced)\(/),
  feature('well-formed strings', 111, /\.(isWellFormed|toWellFormed)\(/),
  feature('view transitions', 111, /\.startViewTransition\(/),
  feature('popovers', 114, /\.(show|hide|toggle)Popover\(/),
  feature('AbortSignal.any', 116, /\bAbortSignal\.any\(/),
  feature('groupBy', 117, /\b(Object|Map)\.groupBy\(/),
  feature('Promise.withResolvers', 119, /\bPromise\.withResolvers\(/),
  feature('URL.canParse', 120, /\bURL\.canParse\(/),
  feature('Array.fromAsync', 121, /\bArray\.fromAsync\(/),
  feature('Iterator', 122, /\bIterator\.(from|concat|prototype)\b/),
  feature('Set comparisons', 122, /\.(isSubsetOf|isSupersetOf|isDisjointFrom|symmetricDifference)\(/),
  feature('URL.parse', 126, /\bURL\.parse\(/),
  feature('Promise.try', 128, /\bPromise\.try\(/),
  feature('scheduler.yield', 129, /\bscheduler\.yield\(/),
  feature('Intl.DurationFormat', 129, /\bIntl\.DurationFormat\b/),
  feature('moveBefore', 133, /\.moveBefore\(/),
  feature('requestClose', 134, /\.requestClose\(/),
  feature('RegExp.escape', 136, /\bRegExp\.escape\(/),
  feature('base64 of bytes', 140, /\.(fromBase64|toBase64|setFromBase64)\(/),
]

/** An unknown value or selector makes an old browser drop its whole declaration or rule. */
const inStyles: Feature[] = [
  feature('heights of the visible part', 108, /\d(d|s|l)v(h|w|min|max|b|i)\b/),
  feature('colour spaces', 111, /\b(oklch|oklab|lch|lab|color)\(/),
  feature('color-mix', 111, /\bcolor-mix\(/),
  feature('nested rules', 112, /[{;}]\s*&/),
  feature(':popover-open', 114, /:popover-open\b/),
  feature('subgrid', 117, /\bsubgrid\b/),
  feature('@starting-style', 117, /@starting-style\b/),
  feature('@scope', 118, /@scope\b/),
  feature(':user-invalid', 119, /:user-(in)?valid\b/),
  feature('relative colours', 119, /\b(rgb|rgba|hsl|hsla)\(from\b/),
  feature('light-dark', 123, /\blight-dark\(/),
  feature(':open', 133, /:open\b/),
]

/** Known to be behind a feature test, or never reached. */
const tolerated: [what: string, use: RegExp][] = [
  // React's own, inside try, for a component of React's that nothing here uses.
  ['view transitions', /try\{var \w+=\w+\.startViewTransition\(/],
]

/** Without code behind a feature test: browsers that lack the feature never run it. */
export function unguarded(style: string): string {
  const start = style.indexOf('@supports')
  if (start < 0) return style
  let depth = 0
  let end = style.indexOf('{', start)
  do {
    if (style[end] === '{') depth += 1
    else if (style[end] === '}') depth -= 1
    end += 1
  } while (depth > 0 && end < style.length)
  return style.slice(0, start) + unguarded(style.slice(end))
}

/** Features of a built file that the oldest supported browser lacks. */
export function tooNew(file: string, content: string): string[] {
  const isStyle = file.endsWith('.css')
  const text = isStyle ? unguarded(content) : content
  const found = (isStyle ? inStyles : inScripts).filter(({ what, since, pattern }) => {
    const known = tolerated.filter(([name]) => name === what)
    const rest = known.reduce((left, [, use]) => left.replace(use, ''), text)
    return since > floor && pattern.test(rest)
  })
  return found.map(({ what, since }) => `${basename(file)} uses ${what}, which Chromium has since ${since}`)
}

function main(folder = 'apps/web/dist'): number {
  const files = globSync('assets/*.{js,css}', { cwd: folder }).map((file) => join(folder, file))
  if (files.length === 0) throw new Error(`${folder} holds no build`)
  const found = files.flatMap((file) => tooNew(file, readFileSync(file, 'utf8')))
  for (const each of found) console.error(each)
  console.log(`${files.length} files read, ${found.length} uses of what Chromium ${floor} doesn't have`)
  return found.length > 0 ? 1 : 0
}

if (import.meta.main) process.exitCode = main(process.argv[2])
