import type { Column, PersonalTable, Row } from './personal-data.store.ts'

const clock = new Intl.DateTimeFormat('zh-CN', {
  timeZone: 'Asia/Shanghai',
  year: 'numeric',
  month: 'long',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replace(/[&<>"']/g, (mark) => marks[mark] ?? '')

const style = `:root{color-scheme:light dark;--page:#f4f5f7;--card:#fff;--text:#1d2129;--soft:#5f6672;--line:#e5e7ec}
@media(prefers-color-scheme:dark){:root{--page:#16181d;--card:#1f2229;--text:#e8eaef;--soft:#a1a8b5;--line:#343842}}
*{box-sizing:border-box}
body{margin:0;padding:1rem;background:var(--page);color:var(--text);font:1rem/1.6 system-ui,"PingFang SC","Microsoft YaHei",sans-serif}
main{max-width:46rem;margin:0 auto}
h1{font-size:1.4rem;margin:.5rem 0}
h2{font-size:1.1rem;margin:2rem 0 .5rem}
h2 small,.note{color:var(--soft);font-size:.875rem;font-weight:normal}
dl{margin:0 0 .75rem;padding:.25rem 1rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
dl>div{display:flex;gap:1rem;padding:.4rem 0}
dl>div+div{border-top:1px solid var(--line)}
dt{flex:0 0 8rem;color:var(--soft)}
dd{flex:1;margin:0;min-width:0;overflow-wrap:anywhere;white-space:pre-wrap}
@media(max-width:26rem){dl>div{flex-direction:column;gap:0}dt{flex:none;font-size:.875rem}}`

export interface About {
  site: string
  origin: string
  userId: string
  time: Date
}

/** The head of the page: whose data, of when, and that it is confidential. */
export function pageHead({ site, origin, userId, time }: About): string {
  const title = `${escaped(site)} 个人信息`
  return `<!doctype html>
<html lang="zh-CN">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>以下是 ${escaped(origin)} 保存的与您有关的全部信息，生成于 ${clock.format(time)}（北京时间）。用户编号：${escaped(userId)}</p>
<p><strong>本文件含有您的个人信息，请妥善保管，不要发送给他人。</strong>密码等安全凭据只说明已保存，不提供内容。</p>
`
}

/** The foot: which data could exist and doesn't. */
export function pageEnd(empty: PersonalTable[]): string {
  const titles = empty.map(({ title }) => title).join('、')
  const note = empty.length > 0 ? `<p class="note">以下类别没有保存任何内容：${escaped(titles)}。</p>\n` : ''
  return `${note}</main>\n</body>\n</html>\n`
}

const labelsOf = (columns: PersonalTable['columns'], wanted: (column: Column) => boolean) =>
  Object.values(columns)
    .filter(wanted)
    .map(({ label }) => label)

/** The description of a section, and which of its data is stored and not shown. */
export function sectionHead({ title, columns }: PersonalTable): string {
  const hidden = labelsOf(columns, ({ shown }) => shown === 'hidden')
  const note = hidden.length > 0 ? `<p class="note">已保存但不提供内容：${escaped(hidden.join('、'))}</p>\n` : ''
  return `<section>\n<h2>${escaped(title)}</h2>\n${note}`
}

export const sectionEnd = '</section>\n'

function wordOf(value: unknown, words: Column['words']): string {
  if (typeof value === 'boolean') return value ? '是' : '否'
  return words?.[String(value)] ?? (typeof value === 'object' ? JSON.stringify(value) : String(value))
}

/** A line for each part of it, by its name in words. */
const linesOf = (value: object, words: Column['words']): string =>
  Object.entries(value)
    .filter(([, part]) => part !== null)
    .map(([name, part]) => `${words?.[name] ?? name}：${wordOf(part, words)}`)
    .join('\n')

function wordsOf({ shown, words }: Column, value: unknown): string {
  if (shown === 'time') return clock.format(value as number)
  return typeof value === 'object' ? linesOf(value ?? {}, words) : wordOf(value, words)
}

/** One row, as a card; what is empty is left out. */
export function card({ columns }: PersonalTable, row: Row): string {
  const lines = Object.entries(columns)
    .filter(([name, { shown }]) => shown !== 'hidden' && row[name] !== null)
    .map(([name, column]) => [column.label, wordsOf(column, row[name])] as const)
    .filter(([, words]) => words !== '')
    .map(([label, words]) => `<div><dt>${escaped(label)}</dt><dd>${escaped(words)}</dd></div>`)
  return `<dl>${lines.join('')}</dl>\n`
}
