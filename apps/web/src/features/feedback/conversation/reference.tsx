import { referenceOf } from '@hufu/contract/feedback-rules'
import { Copy } from 'lucide-react'
import { copyText } from '../../../lib/copy-text.ts'
import { IconButton } from '../../../ui/button.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useFeedbackText } from '../feedback.text.ts'

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
