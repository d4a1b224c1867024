import './check-dialog.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { adopt } from '../../session/profile.api.ts'
import { Button } from '../../ui/button.tsx'
import { Modal } from '../../ui/dialog.tsx'
import { ErrorLine } from '../../ui/fields/field.tsx'
import { Skeleton } from '../../ui/waiting.tsx'
import FactorStep from './factor-step.tsx'
import { useStepUpText } from './step-up.text.ts'
import { afterFactor, checkQuery } from './two-factor.api.ts'

interface Props {
  onProved: () => void
  /** The user doesn't want to. */
  onLeave: () => void
}

/** The step-up over a page, which keeps what was typed into it. */
export default function CheckDialog({ onProved, onLeave }: Props) {
  const text = useStepUpText()
  const client = useQueryClient()
  const part = useRef<HTMLDivElement>(null)
  const { data, error } = useQuery(checkQuery)
  const ready = data !== undefined
  useEffect(() => {
    // Not where that would bring up a keyboard unasked.
    if (ready && window.matchMedia('(hover: hover) and (pointer: fine)').matches)
      part.current?.querySelector('input')?.focus()
  }, [ready])
  const proved = () => {
    client.setQueryData(checkQuery.queryKey, (known) => known && afterFactor(known))
    void adopt(client, () => ({ twoFactor: true })).then(onProved)
  }
  return (
    <Modal title={text.title} first={part} look="check-dialog" onCancel={onLeave}>
      <div ref={part} className="check-dialog-part" tabIndex={-1}>
        <p>{text.again}</p>
        {data && <FactorStep ways={data.factors} onProved={proved} />}
        {!data && (error ? <ErrorLine message={error.message} /> : <Skeleton label={text.waiting} rows={2} />)}
        <Button kind="text" onClick={onLeave}>
          {text.leave}
        </Button>
      </div>
    </Modal>
  )
}
