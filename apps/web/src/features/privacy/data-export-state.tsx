import type { MadeFile } from '@hufu/contract/fields'
import { dataFilePath } from '@hufu/contract/personal-data-rules'
import { CircleAlert, CircleCheck, Download, FileDown } from 'lucide-react'
import { useNow } from '../../lib/time/use-now.ts'
import { momentOf } from '../../lib/time/when.ts'
import { usePrivacyText } from './privacy.text.ts'

/** An archive that is being made. */
export function ExportProgress({ made: { status, done, total } }: { made: MadeFile }) {
  const text = usePrivacyText().exports
  return (
    <div className="data-export">
      <FileDown />
      <div className="data-export-facts">
        <p>
          <b role="status">{status === 'running' ? text.running : text.waiting}</b>
          {status === 'running' && <span>{text.parts(done, total)}</span>}
        </p>
        <progress aria-label={text.running} value={done} max={Math.max(total, done, 1)} />
        <p className="note">{text.goesOn}</p>
      </div>
    </div>
  )
}

interface OutcomeProps {
  made: MadeFile
  busy: boolean
  onFetch: () => void
}

/** One that is made, with its file, or that failed. */
export function ExportOutcome({ made, busy, onFetch }: OutcomeProps) {
  const { exports: text, when } = usePrivacyText()
  const now = useNow()
  const { id, status, expires } = made
  const failed = status === 'failed'
  return (
    <div className={failed ? 'data-export failed' : 'data-export done'}>
      {failed ? <CircleAlert /> : <CircleCheck />}
      <div className="data-export-facts">
        <p>
          <b role="status">{failed ? text.failed : text.done}</b>
        </p>
        {!failed && expires !== null && <p className="note">{text.expires(momentOf(expires, now, when))}</p>}
      </div>
      {!failed && (
        <a
          className="btn main"
          href={`${dataFilePath}?id=${id}`}
          download
          aria-busy={busy || undefined}
          onClick={(event) => {
            // The file is given out only after a check, which may have run out since.
            event.preventDefault()
            onFetch()
          }}
        >
          {busy ? <span className="spinner" aria-hidden="true" /> : <Download />}
          {text.download}
        </a>
      )}
    </div>
  )
}
