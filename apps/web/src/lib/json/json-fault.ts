/** Where a text stops being JSON, and why, for the user who typed it. */
export interface JsonFault {
  at: number
  message: string
}

interface Bracket {
  closer: '}' | ']'
  at: number
  /** How far its line is moved in. */
  indent: number
}

interface Scan {
  text: string
  at: number
  wanted: 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'next'
  open: Bracket[]
  /** How far this line is moved in. */
  indent: number
  /** One that was closed further left than it was opened: most likely its own closer is missing. */
  suspect?: Bracket
}

const space = /[ \t\n\r]*/y
const string = /"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/** Undefined where the text is JSON, exactly as JSON.parse sees it. */
export function jsonFault(text: string): JsonFault | undefined {
  const scan: Scan = { text, at: 0, wanted: 'value', open: [], indent: 0 }
  for (;;) {
    takeSpace(scan)
    const inner = scan.open.at(-1)
    const over = scan.at === text.length
    if (!inner && scan.wanted === 'next') return over ? undefined : { at: scan.at, message: '结尾有多余的内容' }
    if (over) return missingEnd(scan, inner)
    if (!takeSign(scan, inner) && !takeText(scan)) return faultHere(scan, inner)
  }
}

/** Lines end between the signs of JSON alone. */
function takeSpace(scan: Scan) {
  const end = endOf(space, scan.text, scan.at)
  const gap = scan.text.slice(scan.at, end)
  const line = gap.lastIndexOf('\n')
  if (line >= 0 || scan.at === 0) scan.indent = gap.length - line - 1
  scan.at = end
}

/** Where the match at a position ends; the position itself without a match. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

const takesKey = ({ wanted }: Scan) => wanted.endsWith('key')
const takesValue = ({ wanted }: Scan) => wanted.endsWith('value')
const mayClose = ({ wanted }: Scan) => wanted === 'next' || wanted.startsWith('first')

/** Takes a bracket, comma or colon where one may stand. */
function takeSign(scan: Scan, inner: Bracket | undefined): boolean {
  const sign = scan.text[scan.at]
  if (inner && sign === inner.closer && mayClose(scan)) close(scan, inner)
  else if (inner && sign === ',' && scan.wanted === 'next') scan.wanted = inner.closer === '}' ? 'key' : 'value'
  else if (sign === ':' && scan.wanted === 'colon') scan.wanted = 'value'
  else if ((sign === '{' || sign === '[') && takesValue(scan)) {
    scan.open.push({ closer: sign === '{' ? '}' : ']', at: scan.at, indent: scan.indent })
    scan.wanted = sign === '{' ? 'first key' : 'first value'
  } else return false
  scan.at++
  return true
}

function close(scan: Scan, inner: Bracket) {
  scan.open.pop()
  if (scan.indent < inner.indent) scan.suspect ??= inner
  scan.wanted = 'next'
}

/** Takes a key, or a value without brackets. */
function takeText(scan: Scan): boolean {
  const { text, at } = scan
  if (!takesKey(scan) && !takesValue(scan)) return false
  scan.at = endOf(takesKey(scan) || text[at] === '"' ? string : scalar, text, at)
  scan.wanted = scan.at === at ? scan.wanted : takesKey(scan) ? 'colon' : 'next'
  return scan.at !== at
}

function missingEnd({ text, wanted, suspect }: Scan, inner: Bracket | undefined): JsonFault {
  const at = Math.max(text.trimEnd().length - 1, 0)
  if (wanted === 'colon') return { at, message: '此处缺少冒号' }
  if (suspect) return { at: suspect.at, message: `此处缺少 ${suspect.closer}` }
  return { at, message: inner ? `此处缺少 ${inner.closer}` : '此处缺少内容' }
}

function faultHere(scan: Scan, inner: Bracket | undefined): JsonFault {
  const { text, at, wanted } = scan
  const sign = text[at] ?? ''
  const closing = '}]'.includes(sign)
  if (wanted === 'colon') return { at, message: '此处缺少冒号' }
  if (wanted === 'next')
    return { at, message: closing ? `此处应为 ${inner?.closer}` : `此处缺少逗号或 ${inner?.closer}` }
  if (sign === '"') return { at, message: '文本缺少结尾的双引号，或含有无法识别的字符' }
  if (closing && text.slice(0, at).trimEnd().endsWith(',')) return { at, message: '前面有多余的逗号' }
  return { at, message: takesKey(scan) ? '键名须写在双引号中' : '此处缺少内容，文本须写在双引号中' }
}
