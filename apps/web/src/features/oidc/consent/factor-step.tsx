import { pages } from '@hufu/contract/pages'
import { useQuery } from '@tanstack/react-query'
import FactorProof from '../../../identity/step-up/factor-step.tsx'
import { checkQuery } from '../../../identity/step-up/two-factor.api.ts'
import { useAskAgain } from '../../../lib/use-ask-again.ts'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { ClientLine } from '../../../ui/client-mark.tsx'
import { ErrorLine } from '../../../ui/fields/field.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Skeleton } from '../../../ui/waiting.tsx'
import { resumeAt } from './consent.api.ts'
import { useConsentText } from './consent.text.ts'
import { CurrentAccount } from './current-account.tsx'
import type { StepProps } from './step-props.ts'

/** The client wants the second factor in this session. */
export function FactorStep(props: StepProps) {
  const text = useConsentText().consent
  const { data, isFetchedAfterMount, failureReason } = useQuery(checkQuery)
  const askAgain = useAskAgain(checkQuery.queryKey)
  const ways = isFetchedAfterMount ? data?.factors : undefined
  if (ways?.length === 0) return <NoFactor {...props} />
  const { interaction, user, id, answer } = props
  return (
    <>
      <div className="lead">
        <h1>{text.factor.title}</h1>
        <p>{text.factor.lead(interaction.client.name)}</p>
        <CurrentAccount user={user} id={id} />
      </div>
      {ways && <FactorProof ways={ways} onProved={() => resumeAt(interaction.resume)} />}
      {!ways && !failureReason && <Skeleton label={text.waiting} rows={2} />}
      {!ways && failureReason && (
        <>
          <ErrorLine message={failureReason.message} />
          <Button kind="soft" wide onClick={askAgain}>
            {text.tryAgain}
          </Button>
        </>
      )}
      <Cancel answer={answer} />
    </>
  )
}

/** Such an account is led to 登录保护; going back from there returns here. */
function NoFactor({ interaction: { client }, answer }: StepProps) {
  const text = useConsentText().consent.factor
  return (
    <>
      <div className="lead">
        <h1>{text.none}</h1>
        <p>{text.noneLead(client.name)}</p>
      </div>
      <ClientLine client={client} />
      <Notice>{text.steps}</Notice>
      <div className="consent-acts">
        <ButtonLink wide to={pages.protection}>
          {text.enrol}
        </ButtonLink>
        <Cancel answer={answer} />
      </div>
    </>
  )
}

function Cancel({ answer: { mutate, error, isIdle, isError } }: Pick<StepProps, 'answer'>) {
  const text = useConsentText().consent.factor
  return (
    <>
      <ErrorLine message={error?.message} />
      <Button kind="quiet" wide busy={!isIdle && !isError} onClick={() => mutate({ accept: false })}>
        {text.cancel}
      </Button>
    </>
  )
}
