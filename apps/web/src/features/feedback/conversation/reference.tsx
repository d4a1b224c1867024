import { referenceOf } from '@hufu/contract/feedback-rules'
import { Copy } from 'lucide-react'
import { IconButton } from '../../../ui/button.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useFeedbackText } from '../feedback.text.ts'

/** The clipboard is missing on insecure pages: that too is a refusal. */
async function copyText(text: string) {
  await navigator.clipboard.writeText(text)
}

/** What users quote when they ask about it elsewhere. */
export function Reference({ id }: { id: string }) {
  const text = useFeedbackText()
  const reference = referenceOf(id)
  const copy = () =>
    copyText(reference).then(
      () => showToast('good', text.copied),
      () => showToast('bad', text.copyFailed),
    )
  return (
    <span className="reference">
      {text.reference}
      <span className="mono">{reference}</span>
      <IconButton label={text.copy} onClick={copy}>
        <Copy />
      </IconButton>
    </span>
  )
}
