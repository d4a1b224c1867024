import { WechatMark } from '../../../ui/wechat-mark.tsx'
import type { Consent } from '../login/consent.tsx'
import { keepAgreed } from './agreed.ts'
import { useWechatText } from './wechat.text.ts'

/** 微信登录 inside WeChat: by a tap, because WeChat asks the user only then. */
export default function WechatWay({ source, consent }: { source: string; consent: Consent }) {
  const text = useWechatText()
  const go = () => {
    keepAgreed(consent.version)
    window.location.assign(`/api/login/wechat?tap=1&source=${encodeURIComponent(source)}`)
  }
  return (
    <button type="button" onClick={() => consent.before(go)}>
      <WechatMark />
      {text.tap}
    </button>
  )
}
