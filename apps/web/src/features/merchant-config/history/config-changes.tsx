import './config-changes.css'
import { useMemo } from 'react'
import { changedParts, type DiffLine, diffLines } from '../../../lib/json/line-diff.ts'
import { useConfigText } from '../config.text.ts'

interface Props {
  label: string
  before: string
  after: string
}

const elements = { same: 'span', added: 'ins', removed: 'del' } as const

/** What differs between two texts, line by line, with a few lines around each place. */
export function Changes({ label, before, after }: Props) {
  const text = useConfigText()
  const parts = useMemo(() => changedParts(diffLines(before.split('\n'), after.split('\n'))), [before, after])
  if (parts.length === 0) return <p className="no-changes">{text.noDifferences}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section className="changes" aria-label={label} tabIndex={0}>
      {parts.map((lines, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity and never move
        <div key={at}>
          <Lines lines={lines} />
        </div>
      ))}
    </section>
  )
}

function Lines({ lines }: { lines: DiffLine[] }) {
  return lines.map(({ kind, text }, at) => {
    const Line = elements[kind]
    // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity and never move
    return <Line key={at}>{text}</Line>
  })
}
