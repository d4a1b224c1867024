import '../../ui/card.css'
import './users-page.css'
import type { MadeFile } from '@hufu/contract/fields'
import { exportFilePath } from '@hufu/contract/merchant-rights'
import { pages } from '@hufu/contract/pages'
import { CircleAlert, CircleCheck, Download, FileDown } from 'lucide-react'
import { mayMerchant } from '../../frame/navigation.ts'
import { useAfterCheck } from '../../identity/step-up/use-after-check.ts'
import { saveFile } from '../../lib/save-file.ts'
import { useNow } from '../../lib/time/use-now.ts'
import { clockOf, dayName } from '../../lib/time/when.ts'
import { useUser } from '../../session/profile.api.ts'
import { Button } from '../../ui/button.tsx'
import { isUnderWay, useNewestExport } from './exports.api.ts'
import { useMerchantUsersText } from './merchant-users.text.ts'

const fileOf = (id: string) => `${exportFilePath}?id=${id}`

/** The progress of the operator's newest export, and its file. It continues without this page. */
export function ExportCard({ onAgain }: { onAgain: () => void }) {
  const text = useMerchantUsersText().exports
  const now = useNow()
  const { user } = useUser()
  const download = useAfterCheck<string>(`${pages.merchantUsers}#file`, (id) => saveFile(fileOf(id)))
  const newest = useNewestExport(mayMerchant(user?.permission, 'ADMIN'))
  // An expired file is not shown.
  if (!newest || (newest.status === 'done' && (newest.expires ?? 0) <= now)) return null
  const failed = newest.status === 'failed'
  return (
    <section className={`card export ${newest.status}`} aria-label={text.card}>
      {failed ? <CircleAlert /> : newest.status === 'done' ? <CircleCheck /> : <FileDown />}
      <Facts made={newest} />
      {newest.status === 'done' && (
        <a
          className="btn soft"
          href={fileOf(newest.id)}
          download
          onClick={(event) => {
            event.preventDefault()
            download.begin(newest.id)
          }}
        >
          <Download />
          {text.download}
        </a>
      )}
      {failed && (
        <Button kind="soft" onClick={onAgain}>
          {text.again}
        </Button>
      )}
    </section>
  )
}

function Facts({ made }: { made: MadeFile }) {
  const { exports: text, when } = useMerchantUsersText()
  const now = useNow()
  const { status, done, total, expires } = made
  return (
    <div className="export-facts">
      <p role="status">
        <b>{text[status]}</b>
        {status === 'running' && <span>{text.rows(done, total)}</span>}
        {status === 'done' && <span>{text.doneRows(done)}</span>}
      </p>
      {status === 'done' && expires !== null && (
        <span>{text.expires(`${dayName(expires, now, when)} ${clockOf(expires)}`)}</span>
      )}
      {isUnderWay(made) && <progress aria-label={text.running} value={done} max={Math.max(total, done, 1)} />}
    </div>
  )
}
