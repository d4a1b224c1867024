import { showToast } from '../../ui/toast.tsx'
import { useMerchantWechatText } from './merchant-wechat.text.ts'

/** The clipboard is missing on insecure pages: that too is a refusal. */
async function copyText(text: string) {
  await navigator.clipboard.writeText(text)
}

/** Copies and says so. */
export function useCopy(): (text: string) => void {
  const { copied, copyFailed } = useMerchantWechatText()
  return (text) =>
    void copyText(text).then(
      () => showToast('good', copied),
      () => showToast('bad', copyFailed),
    )
}
