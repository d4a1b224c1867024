import './recover.css'
import { pages } from '@hufu/contract/pages'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useParams } from 'react-router'
import { CallError, call } from '../../lib/call.ts'
import { useRecoveryText } from '../../lib/recovery-text.ts'
import { usePageTitle } from '../../lib/use-page-title.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Entry } from '../../ui/entry.tsx'
import { Notice } from '../../ui/notice.tsx'
import { loginLeadingTo } from '../login/source.ts'
import { Outcome } from './outcome.tsx'

/** Opened from the notice; nothing happens without a tap, for mail programs open links, too. */
export default function StopPage() {
  const text = useRecoveryText().stop
  usePageTitle(text.title)
  const { token = '' } = useParams()
  const [mine, setMine] = useState(false)
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: () => call('/api/recovery/stop', { token }),
  })
  const over = finalWord(error, text.invalid)
  useEffect(() => {
    if (isSuccess || mine || over) document.getElementById('main')?.focus()
  }, [isSuccess, mine, over])
  return (
    <Entry beside>
      {isSuccess && <Stopped />}
      {over && <Over word={over} />}
      {mine && <Mine />}
      {!isSuccess && !over && !mine && (
        <>
          <div className="lead">
            <h1>{text.ask}</h1>
            <p>{text.lead}</p>
          </div>
          <Notice kind="warn">{text.hint}</Notice>
          {error && (
            <div role="alert">
              <Notice kind="bad">{error.message}</Notice>
            </div>
          )}
          <div className="recover-acts">
            <Button kind="danger-main" wide busy={isPending} onClick={() => mutate()}>
              {text.stop}
            </Button>
            <Button kind="quiet" wide disabled={isPending} onClick={() => setMine(true)}>
              {text.mine}
            </Button>
          </div>
        </>
      )}
    </Entry>
  )
}

/** Why the link does nothing, however often it is pressed; nothing for trouble that passes. */
function finalWord(error: Error | null, invalid: string): string | undefined {
  if (!(error instanceof CallError)) return undefined
  if (error.code === 'INPUT_INVALID') return invalid
  return ['NOTICE_EXPIRED', 'RECOVERY_NONE'].includes(error.code) ? error.message : undefined
}

/** Whoever it was knew the password. */
function Stopped() {
  const text = useRecoveryText().stop
  return (
    <Outcome good title={text.stopped} lead={text.stoppedLead}>
      <Notice kind="warn">{text.stoppedNext}</Notice>
      <ButtonLink wide to={loginLeadingTo(pages.protect)}>
        {text.protect}
      </ButtonLink>
    </Outcome>
  )
}

function Over({ word }: { word: string }) {
  const text = useRecoveryText().stop
  return (
    <Outcome title={text.over} lead={word}>
      <Notice>{text.overNext}</Notice>
      <ButtonLink kind="soft" wide to={loginLeadingTo(pages.protect)}>
        {text.check}
      </ButtonLink>
    </Outcome>
  )
}

function Mine() {
  const text = useRecoveryText().stop
  return (
    <Outcome good title={text.mineTitle} lead={text.mineLead}>
      <ButtonLink kind="soft" wide to={pages.recover}>
        {text.toRecover}
      </ButtonLink>
    </Outcome>
  )
}
