import './wechat-page.css'
import { pages } from '@hufu/contract/pages'
import type { UserInfo } from '@hufu/contract/profile'
import { lazy, Suspense, useState } from 'react'
import { useLocation } from 'react-router'
import { Frame } from '../../frame/frame.tsx'
import { fetchCheckState, isComplete, useAskCheck } from '../../identity/step-up/two-factor.api.ts'
import { openWechat, wechatAddress } from '../../identity/wechat/open-wechat.ts'
import { failureIn, outcomeIn } from '../../identity/wechat/outcome.ts'
import { useDevice } from '../../lib/device/device.ts'
import { isPortrait, isWeChat } from '../../lib/device/device-rules.ts'
import { useGoBack } from '../../lib/history/go-back.ts'
import { useUser } from '../../session/profile.api.ts'
import { useSite } from '../../site/site.store.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { WechatMark } from '../../ui/wechat-mark.tsx'
import { useOutcome } from './use-outcome.ts'
import { useWechatPageText } from './wechat-page.text.ts'

const QrCode = lazy(async () => ({ default: (await import('../../ui/qr-code.tsx')).QrCode }))

export default function WechatPage() {
  const text = useWechatPageText().page
  const goBack = useGoBack()
  const { user } = useUser()
  // Read once: the address is cleaned as soon as it has been handled.
  const search = useLocation().search
  const [failure] = useState(() => failureIn(outcomeIn(search)))
  useOutcome(user)
  if (!user) return null
  const bound = user.wechatOpenId !== null
  return (
    <Frame title={text.title} narrow onBack={() => goBack(1)}>
      <p className="page-lead">{text.lead}</p>
      {failure && (
        <div role="alert">
          <Notice kind="warn">{failure}</Notice>
        </div>
      )}
      <Card rows>
        <div className="row">
          <WechatMark />
          <span className="name">{bound ? text.account : text.state}</span>
          <span className={bound ? 'value' : 'value unset'}>
            {bound ? user.wechatNickname || text.bound : text.notBound}
          </span>
        </div>
      </Card>
      {bound ? <Bound user={user} /> : <Unbound />}
    </Frame>
  )
}

/** By a tap inside WeChat; elsewhere how to open it there. */
function Unbound() {
  const text = useWechatPageText().page
  const enabled = useSite((site) => site.wechatEnabled)
  const inWeChat = useDevice(isWeChat)
  const portrait = useDevice(isPortrait)
  const { busy, open } = useOpening()
  if (!enabled) return <Notice>{text.off}</Notice>
  if (inWeChat)
    return (
      <div className="wechat-acts">
        <Button wide busy={busy} onClick={() => open(wechatAddress('binding', pages.wechat))}>
          {text.bind}
        </Button>
        <p className="hint">{text.bindHint}</p>
      </div>
    )
  // A phone can't scan what it shows itself.
  if (portrait) return <Notice>{text.openInWechat}</Notice>
  return (
    <div className="card padded wechat-scan">
      <div className="wechat-plate">
        <Suspense>
          <QrCode content={`${window.location.origin}${pages.wechat}`} label={text.scan} />
        </Suspense>
      </div>
      <p>{text.scan}</p>
    </div>
  )
}

function Bound({ user }: { user: UserInfo }) {
  const text = useWechatPageText().page
  const inWeChat = useDevice(isWeChat)
  const { busy, open } = useOpening()
  const unbinding = useUnbinding()
  const last = !user.mobile && !user.password
  return (
    <div className="wechat-acts">
      {inWeChat && (
        <Button kind="soft" wide busy={busy} onClick={() => open(wechatAddress('info', pages.wechat))}>
          {text.refresh}
        </Button>
      )}
      {inWeChat && <p className="hint">{text.refreshHint}</p>}
      {last ? (
        <Notice>{text.last}</Notice>
      ) : (
        <Button kind="danger" wide busy={unbinding.asking} onClick={unbinding.ask}>
          {text.unbind}
        </Button>
      )}
      {unbinding.dialog}
    </div>
  )
}

/** The browser is already navigating: a second tap would spend a second ticket. */
function useOpening() {
  const [busy, setBusy] = useState(false)
  const open = (address: string) => {
    setBusy(true)
    void openWechat(address)
  }
  return { busy, open }
}

/** First the identity check, then the confirmation, then unbinding. */
function useUnbinding() {
  const text = useWechatPageText().page
  const askCheck = useAskCheck()
  const { busy, open } = useOpening()
  const [asking, setAsking] = useState(false)
  const [sure, setSure] = useState(false)
  const [failure, setFailure] = useState<string>()
  async function ask() {
    setAsking(true)
    setFailure(undefined)
    try {
      if (isComplete(await fetchCheckState())) setSure(true)
      else askCheck()
    } catch (error) {
      setFailure((error as Error).message)
    }
    setAsking(false)
  }
  const dialog = sure ? (
    <Dialog
      danger
      title={text.unbindTitle}
      go={text.unbind}
      busy={busy}
      onGo={() => open(wechatAddress('unbinding', pages.wechat))}
      onCancel={() => setSure(false)}
    >
      {text.unbindMessage}
    </Dialog>
  ) : (
    failure && (
      <div role="alert">
        <Notice kind="warn">{failure}</Notice>
      </div>
    )
  )
  return { asking, ask: () => void ask(), dialog }
}
