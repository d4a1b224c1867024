import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

export interface Block {
  /** The heading that it stands under. */
  title: string
  commands: string
}

const fence = /^```(\w*) ?(\w*)$/

/** The blocks of a page that begin with ```sh and the mark, in their order. */
export function blocksOf(page: string, mark = ''): Block[] {
  const blocks: Block[] = []
  let title = ''
  let open: { wanted: boolean; lines: string[] } | undefined
  for (const line of readFileSync(join(root, page), 'utf8').split('\n')) {
    const [, language, word] = fence.exec(line) ?? []
    if (open && line === '```') {
      if (open.wanted) blocks.push({ title, commands: open.lines.join('\n') })
      open = undefined
    } else if (open) open.lines.push(line)
    else if (language !== undefined) open = { wanted: language === 'sh' && word === mark, lines: [] }
    else if (line.startsWith('#')) title = line.replace(/^#+ /, '')
  }
  return blocks
}
