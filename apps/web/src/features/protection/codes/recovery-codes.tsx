import '../../../ui/card.css'
import '../../../ui/fields/form-card.css'
import './codes.css'
import { pages } from '@hufu/contract/pages'
import type { UserInfo } from '@hufu/contract/profile'
import { Copy, Download, Info, Printer } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { copyText } from '../../../lib/copy-text.ts'
import { useGoBack } from '../../../lib/history/go-back.ts'
import { useLeaveGuard } from '../../../lib/history/use-leave-guard.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { useNow } from '../../../lib/time/use-now.ts'
import { momentOf } from '../../../lib/time/when.ts'
import { nameOf } from '../../../session/user.ts'
import { useSite } from '../../../site/site.store.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Checkbox } from '../../../ui/fields/checkbox.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { type NewCodes, useNewCodes } from '../protection.api.ts'
import { useProtectionText } from '../protection.text.ts'

interface Props {
  made: NewCodes
  user: UserInfo
  /** What has just been done. */
  title: string
}

/** Codes that are shown once: to copy, to download, to print; left only after a tick, or by confirming. */
export function RecoveryCodes({ made: { codes }, user, title }: Props) {
  const text = useProtectionText().codes
  const site = useSite((known) => known.name)
  const [saved, setSaved] = useState(false)
  const { asking, leave, stay, finish } = useLeaving(saved)
  return (
    <>
      <section className="card form-card protection-new-codes">
        <Notice kind="good">{title}</Notice>
        <div className="protection-head">
          <h2>{text.saveTitle}</h2>
          <p>{text.saveLead}</p>
        </div>
        <p className="protection-printed">{text.printed(site, nameOf(user))}</p>
        <ol className="protection-codes" aria-label={text.list}>
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ol>
        <SaveButtons codes={codes} account={nameOf(user)} />
        <Checkbox checked={saved} onChange={setSaved}>
          {text.saved}
        </Checkbox>
        <Button wide disabled={!saved} onClick={finish}>
          {text.finish}
        </Button>
      </section>
      <p className="protection-tip">
        <Info />
        <span>{text.tip}</span>
      </p>
      {asking && (
        <Dialog danger title={text.leaveTitle} go={text.leave} onGo={leave} onCancel={stay}>
          {text.leaveMessage}
        </Dialog>
      )}
    </>
  )
}

/** The codes are dropped with the page, not before: it would show something else for a moment. */
function useLeaving(saved: boolean) {
  const goBack = useGoBack(pages.protection)
  const { drop } = useNewCodes()
  const guard = useLeaveGuard(!saved)
  const over = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page is left
  useEffect(
    () => () => {
      if (over.current) drop()
    },
    [],
  )
  const after = (go: () => void) => () => {
    over.current = true
    go()
  }
  return { ...guard, leave: after(guard.leave), finish: after(() => goBack(1)) }
}

function SaveButtons({ codes, account }: { codes: string[]; account: string }) {
  const { codes: text, copyFailed, when } = useProtectionText()
  const site = useSite((known) => known.name)
  const now = useNow()
  const copy = () =>
    copyText(codes.join('\n')).then(
      () => showToast('good', text.copied),
      () => showToast('bad', copyFailed),
    )
  const download = () => {
    const content = text.file(site, account, momentOf(now, now, when), codes)
    const address = URL.createObjectURL(new Blob([content], { type: 'text/plain;charset=utf-8' }))
    saveFile(address, text.fileName(site))
    setTimeout(() => URL.revokeObjectURL(address), 60_000)
  }
  return (
    <div className="protection-save">
      <Button kind="quiet" onClick={download}>
        <Download />
        {text.download}
      </Button>
      <Button kind="quiet" onClick={copy}>
        <Copy />
        {text.copy}
      </Button>
      <Button kind="quiet" onClick={() => window.print()}>
        <Printer />
        {text.print}
      </Button>
    </div>
  )
}
