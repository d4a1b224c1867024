import type { FactorRequired } from '@hufu/contract/factors'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSite } from '../../../site/site.store.ts'
import { Choice } from '../../../ui/choice.tsx'
import { ErrorLine } from '../../../ui/fields/field.tsx'
import { Spinner } from '../../../ui/waiting.tsx'
import { useConsent } from '../login/consent.tsx'
import { Lead } from '../login/lead.tsx'
import { factorIn } from '../login/login.api.ts'
import { agreedBefore } from './agreed.ts'
import { useWechatText } from './wechat.text.ts'
import { arrivalQuery, createByWechat } from './wechat-login.api.ts'

interface Props {
  /** Sign in to an existing account, which is then bound. */
  onBind: () => void
  onSignedIn: () => void
  onFactor: (required: FactorRequired) => void
}

/** For a user who came back from WeChat and has no account here. */
export default function WechatChoice({ onBind, onSignedIn, onFactor }: Props) {
  const text = useWechatText().choice
  const open = useSite((site) => site.registration === 'open')
  const consent = useConsent(agreedBefore())
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const { data, error } = useQuery(arrivalQuery)

  async function create() {
    setBusy(true)
    setFailure(undefined)
    try {
      await createByWechat({ agreements: consent.version })
      onSignedIn()
    } catch (refusal) {
      const factor = factorIn(refusal)
      if (factor) return onFactor(factor)
      setBusy(false)
      setFailure((refusal as Error).message)
    }
  }
  if (!data && !error) return <Spinner label={text.waiting} />
  return (
    <>
      <Lead title={text.title} line={data ? text.lead(data.nickname) : ''} />
      <div className="choices">
        <Choice name={text.bind} line={text.bindLine} busy={false} onChoose={onBind} />
        {open && data && (
          <Choice
            name={text.create}
            line={text.createLine}
            busy={busy}
            onChoose={() => consent.before(() => void create())}
          />
        )}
        {open && data && consent.box}
        <ErrorLine message={failure ?? error?.message} />
      </div>
      {consent.dialog}
    </>
  )
}
