import { Dialog } from '../../ui/dialog.tsx'
import type { Template } from './merchant-wechat.api.ts'
import { useMerchantWechatText } from './merchant-wechat.text.ts'
import { type ReadParams, unfilled } from './params.ts'
import type { MessageDraft } from './sending.ts'

interface Props {
  draft: MessageDraft
  template: Template
  read: ReadParams
  busy: boolean
  go: () => void
  cancel: () => void
}

/** Asks before a message goes out: it can't be taken back. What WeChat may refuse is pointed out, not forbidden. */
export function SendDialog({ draft: { receiver }, template, read, busy, go, cancel }: Props) {
  const text = useMerchantWechatText().message
  const empty = unfilled(template.content, read.params).length
  const who = receiver.picked?.nickname ?? receiver.typed.trim()
  return (
    <Dialog title={text.sendTitle} go={text.send} busy={busy} onGo={go} onCancel={cancel}>
      {text.sendMessage(who, template.title)}
      {empty > 0 && text.empty(empty)}
      {read.faults.length > 0 && text.doubtful(read.faults.length)}
    </Dialog>
  )
}
