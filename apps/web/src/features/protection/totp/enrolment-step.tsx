import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isCheckOwed, useAskCheck } from '../../../identity/step-up/two-factor.api.ts'
import { Button } from '../../../ui/button.tsx'
import { FormCard } from '../../../ui/fields/form-card.tsx'
import { EnrolmentField } from '../enrolment-field.tsx'
import { useFailureWords } from '../failure-words.ts'
import { codeOf, newTotpQuery } from '../protection.api.ts'
import { useProtectionText } from '../protection.text.ts'

interface Props {
  userId: string
  onAccepted: (code: string) => void
}

/** An operator whose factors were reset proves with the code of an ADMIN that it is them who enrols. */
export function EnrolmentStep({ userId, onAccepted }: Props) {
  const text = useProtectionText().enrolment
  const client = useQueryClient()
  const askCheck = useAskCheck()
  const words = useFailureWords()
  const [typed, setTyped] = useState('')
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (code: string) => client.fetchQuery(newTotpQuery(userId, code)),
    onSuccess: (_, code) => onAccepted(code),
    onError: (failure) => {
      if (isCheckOwed(failure)) askCheck()
    },
  })
  const code = typed.trim()
  const wrong = codeOf(error) === 'INPUT_INVALID' ? text.wrong : words(error, text.wrong)
  const edit = (value: string) => {
    reset()
    setTyped(value)
  }
  return (
    <FormCard onSubmit={() => code !== '' && !isPending && mutate(code)}>
      <div className="protection-head">
        <h2>{text.title}</h2>
        <p>{text.lead}</p>
      </div>
      <EnrolmentField value={typed} error={isCheckOwed(error) ? undefined : wrong} onChange={edit} />
      <Button type="submit" wide busy={isPending} disabled={code === ''}>
        {text.next}
      </Button>
    </FormCard>
  )
}
