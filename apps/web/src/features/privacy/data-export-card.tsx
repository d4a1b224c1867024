import './data-export-card.css'
import { pages } from '@hufu/contract/pages'
import { dataFilePath } from '@hufu/contract/personal-data-rules'
import { useAfterCheck } from '../../identity/step-up/use-after-check.ts'
import { useDevice } from '../../lib/device/device.ts'
import { isWeChat } from '../../lib/device/device-rules.ts'
import { saveFile } from '../../lib/save-file.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ErrorLine } from '../../ui/fields/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Skeleton } from '../../ui/waiting.tsx'
import { ExportOutcome, ExportProgress } from './data-export-state.tsx'
import { isUnderWay, useBeginExport, useNewestExport } from './data-exports.api.ts'
import { usePrivacyText } from './privacy.text.ts'

/** All that is kept about the user, as a file for them alone. It is made without this page. */
export function DataExportCard() {
  const text = usePrivacyText().exports
  return (
    <Card title={text.title}>
      <p className="privacy-text">{text.about}</p>
      <Notice>{text.alone}</Notice>
      <Standing />
    </Card>
  )
}

/** How far the newest one is, and what can be done. */
function Standing() {
  const text = usePrivacyText()
  const inWechat = useDevice(isWeChat)
  const { newest, waiting, trouble, askAgain } = useNewestExport()
  const { begin, beginning, fetchFile, fetching, error } = useExport()
  if (waiting) return <Skeleton label={text.exports.loading} rows={1} />
  if (trouble) {
    return (
      <>
        <ErrorLine message={trouble} />
        <Button kind="soft" onClick={askAgain}>
          {text.tryAgain}
        </Button>
      </>
    )
  }
  if (newest && isUnderWay(newest)) return <ExportProgress made={newest} />
  const failed = newest?.status === 'failed'
  const words = failed ? text.tryAgain : newest ? text.exports.anew : text.exports.begin
  return (
    <>
      {newest && <ExportOutcome made={newest} busy={fetching} onFetch={() => fetchFile(newest.id)} />}
      {newest && !failed && inWechat && <Notice kind="warn">{text.exports.inWechat}</Notice>}
      {error && <ErrorLine message={error} />}
      <Button kind={newest ? 'soft' : 'main'} busy={beginning} onClick={begin}>
        {words}
      </Button>
    </>
  )
}

/** Without a file: a new archive. */
interface Wish {
  file?: string
}

/** Beginning one and fetching its file both need a check; one at a time. */
function useExport() {
  const { begin, busy, error } = useBeginExport()
  const check = useAfterCheck<Wish>(pages.privacy, ({ file }) =>
    file ? saveFile(`${dataFilePath}?id=${file}`) : begin(),
  )
  const wishFor = (wish: Wish) => busy || check.begin(wish)
  const fetching = check.busy && check.pressed?.file !== undefined
  return {
    begin: () => wishFor({}),
    beginning: busy || (check.busy && !fetching),
    fetchFile: (file: string) => wishFor({ file }),
    fetching,
    error: check.error ?? error,
  }
}
