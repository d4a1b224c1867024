import { copyText } from '../../lib/copy-text.ts'
import { showToast } from '../../ui/toast.tsx'
import { useMerchantWechatText } from './merchant-wechat.text.ts'

/** Copies and says so. */
export function useCopy(): (text: string) => void {
  const { copied, copyFailed } = useMerchantWechatText()
  return (text) =>
    void copyText(text).then(
      () => showToast('good', copied),
      () => showToast('bad', copyFailed),
    )
}
