import { ArrowLeft, RotateCcw } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { useRecoveryText } from './recovery.text.ts'

export function BackButton({ onBack }: { onBack: () => void }) {
  const text = useRecoveryText()
  return (
    <Button kind="text" onClick={onBack}>
      <ArrowLeft />
      {text.back}
    </Button>
  )
}

/** Where both proofs are given: starts over. */
export function AgainButton({ onAgain }: { onAgain: () => void }) {
  const text = useRecoveryText()
  return (
    <Button kind="text" onClick={onAgain}>
      <RotateCcw />
      {text.again}
    </Button>
  )
}
