import './recover.css'
import { pages } from '@hufu/contract/pages'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocation, useParams } from 'react-router'
import { Entry } from '../../frame/entry.tsx'
import { OtherAccount } from '../../identity/other-account/other-account.tsx'
import { CallError } from '../../lib/call/call.ts'
import { usePageTitle } from '../../lib/use-page-title.ts'
import { loginLeadingTo } from '../../session/login-source.ts'
import { useUser, visitorQuery } from '../../session/profile.api.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Outcome } from './outcome.tsx'
import { keepProgress } from './progress.ts'
import { stopRecovery } from './recovery.api.ts'
import { useRecoveryText } from './recovery.text.ts'

/** Opened from the notice; nothing happens without a tap, for mail programs open links, too. */
export default function StopPage() {
  const text = useRecoveryText().stop
  const words = useWords()
  usePageTitle(words.title)
  const { token = '' } = useParams()
  const [mine, setMine] = useState(false)
  const { mutate, isPending, isSuccess, error } = useStop(token)
  const over = endOf(error)
  useEffect(() => {
    if (isSuccess || mine || over) document.getElementById('main')?.focus()
  }, [isSuccess, mine, over])
  return (
    <Entry beside>
      {isSuccess && <Stopped />}
      {over && <Over end={over} />}
      {mine && <Mine />}
      {!isSuccess && !over && !mine && (
        <>
          <div className="lead">
            <h1>{words.ask}</h1>
            <p>{words.lead}</p>
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

/** The notice's link names what the recovery is for. */
function useWords() {
  const purpose = new URLSearchParams(useLocation().search).get('purpose')
  return useRecoveryText().stop.of[purpose === 'factor' ? 'factor' : 'mobile']
}

/** Drops this browser's own progress of the recovery. */
function useStop(token: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => stopRecovery({ token }),
    onSuccess: () => {
      keepProgress(undefined)
      void client.invalidateQueries({ queryKey: visitorQuery.queryKey })
    },
  })
}

type End = 'invalid' | 'expired'

/** Why the link has no effect; undefined for temporary failures. */
function endOf(error: Error | null): End | undefined {
  if (!(error instanceof CallError)) return undefined
  if (error.code === 'INPUT_INVALID') return 'invalid'
  return ['NOTICE_EXPIRED', 'RECOVERY_NONE'].includes(error.code) ? 'expired' : undefined
}

/** The other party knew the password. */
function Stopped() {
  const text = useRecoveryText().stop
  const words = useWords()
  const { user } = useUser()
  return (
    <Outcome good title={words.stopped} lead={words.stoppedLead}>
      <Notice kind="warn">{text.stoppedNext}</Notice>
      <ButtonLink wide to={user ? pages.protect : loginLeadingTo(pages.protect)}>
        {user ? text.protectSignedIn : text.protect}
      </ButtonLink>
      {user && <OtherAccount user={user} to={pages.protect} />}
    </Outcome>
  )
}

function Over({ end }: { end: End }) {
  const text = useRecoveryText().stop
  const { user } = useUser()
  return (
    <Outcome title={text[end]} lead={text[`${end}Lead`]}>
      <ButtonLink kind="soft" wide to={user ? pages.user : loginLeadingTo(pages.user)}>
        {user ? text.checkSignedIn : text.check}
      </ButtonLink>
      {user && <OtherAccount user={user} to={pages.user} />}
    </Outcome>
  )
}

function Mine() {
  const text = useRecoveryText().stop
  const words = useWords()
  return (
    <Outcome good title={text.mineTitle} lead={words.mineLead}>
      <ButtonLink kind="soft" wide to={pages.recover}>
        {text.toRecover}
      </ButtonLink>
    </Outcome>
  )
}
