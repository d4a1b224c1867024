import { useMerchantUsersText } from './merchant-users.text.ts'
import './user-page.css'
import '../../ui/card.css'
import type { Person } from '@hufu/contract/merchant-users'
import { pages } from '@hufu/contract/pages'
import { CloudOff, UserRoundX } from 'lucide-react'
import { useEffect } from 'react'
import { useParams } from 'react-router'
import { MerchantFrame } from '../../frame/merchant-frame.tsx'
import { useKeptInput } from '../../identity/step-up/kept-input.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { showToast } from '../../ui/toast.tsx'
import { Skeleton } from '../../ui/waiting.tsx'
import { usePerson } from './user.api.ts'
import { PersonActions } from './user-actions.tsx'
import { PersonDevices } from './user-devices.tsx'
import { type Asking, PersonDialog } from './user-dialog.tsx'
import { PersonFeedback } from './user-feedback.tsx'
import { PersonHead } from './user-head.tsx'
import { personPath } from './user-name.ts'
import { PersonPending } from './user-pending.tsx'
import { PersonRights } from './user-rights.tsx'
import { PersonSecurity } from './user-security.tsx'
import { PersonWays } from './user-ways.tsx'

export default function PersonPage() {
  const text = useMerchantUsersText().person
  const { id = '' } = useParams()
  return (
    <MerchantFrame title={text.title} above={pages.merchantUsers}>
      <Looked key={id} id={id} />
    </MerchantFrame>
  )
}

function Looked({ id }: { id: string }) {
  const text = useMerchantUsersText().person
  const { person, missing, trouble, askAgain } = usePerson(id)
  useEffect(() => {
    if (trouble !== undefined && !missing) showToast('bad', trouble)
  }, [trouble, missing])
  if (person) return <Shown person={person} />
  if (missing)
    return (
      <Empty icon={UserRoundX} title={text.missing} message={text.missingHint}>
        <ButtonLink kind="soft" to={pages.merchantUsers}>
          {text.toList}
        </ButtonLink>
      </Empty>
    )
  if (trouble)
    return (
      <Empty icon={CloudOff} message={trouble}>
        <Button kind="soft" onClick={askAgain}>
          {text.tryAgain}
        </Button>
      </Empty>
    )
  return (
    <Card>
      <Skeleton label={text.waiting} rows={3} />
    </Card>
  )
}

function Shown({ person }: { person: Person }) {
  const [asking, setAsking] = useKeptInput<Asking | undefined>(personPath(person.id), () => undefined)
  return (
    <>
      <PersonHead person={person} />
      <PersonPending person={person} onCancelRecovery={() => setAsking({ what: 'recovery', reason: '' })} />
      <div className="person-columns">
        <div className="person-column">
          <PersonWays person={person} />
          <PersonDevices id={person.id} onSignOut={() => setAsking({ what: 'signOut' })} />
        </div>
        <div className="person-column">
          <PersonRights person={person} onChange={(rights) => setAsking({ what: 'rights', rights })} />
          <PersonFeedback id={person.id} />
          <PersonActions person={person} onAsk={setAsking} />
        </div>
      </div>
      <PersonSecurity id={person.id} />
      {asking && (
        <PersonDialog person={person} asking={asking} onAsking={setAsking} onClose={() => setAsking(undefined)} />
      )}
    </>
  )
}
