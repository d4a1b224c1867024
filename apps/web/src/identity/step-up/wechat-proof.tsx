import { pages } from '@hufu/contract/pages'
import { useState } from 'react'
import { useLocation } from 'react-router'
import { useDevice } from '../../lib/device/device.ts'
import { isWeChat } from '../../lib/device/device-rules.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { openWechat, wechatAddress } from '../wechat/open-wechat.ts'
import { useWechatProofText } from '../wechat/wechat-proof.text.ts'

/** The page that asked for the check, which is where the browser comes back to. */
const askedBy = (state: unknown) => (state as { from?: string } | null)?.from ?? pages.user

/** Proves the user's identity by the WeChat that is bound to the account; this works only inside WeChat. */
export default function WechatProof() {
  const text = useWechatProofText()
  const inWeChat = useDevice(isWeChat)
  const { state } = useLocation()
  const [busy, setBusy] = useState(false)
  if (!inWeChat) return <Notice>{text.elsewhere}</Notice>
  const go = () => {
    setBusy(true)
    // Replaces this history entry: going back later skips a completed check.
    void openWechat(wechatAddress('check', askedBy(state)), (to) => window.location.replace(to))
  }
  return (
    <>
      <p className="form-note">{text.line}</p>
      <Button wide busy={busy} onClick={go}>
        {text.go}
      </Button>
    </>
  )
}
