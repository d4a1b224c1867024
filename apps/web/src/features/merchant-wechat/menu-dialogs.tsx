import { Dialog } from '../../ui/dialog.tsx'
import { useMerchantWechatText } from './merchant-wechat.text.ts'

interface Asked {
  busy: boolean
  onGo: () => void
  onCancel: () => void
}

/** The menu changes for all users at once. */
export function SaveDialog(asked: Asked) {
  const text = useMerchantWechatText().menu
  return (
    <Dialog title={text.saveTitle} go={text.save} {...asked}>
      {text.saveMessage}
    </Dialog>
  )
}

export function ReloadDialog(asked: Asked) {
  const text = useMerchantWechatText().menu
  return (
    <Dialog danger title={text.reloadTitle} go={text.reloadGo} {...asked}>
      {text.reloadMessage}
    </Dialog>
  )
}
