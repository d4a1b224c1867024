import '../../../ui/fields/field.css'
import '../feedback-page.css'
import './merchant-feedback-page.css'
import { pages } from '@hufu/contract/pages'
import { MessageSquareText } from 'lucide-react'
import { type Dispatch, type SetStateAction, useEffect, useState } from 'react'
import { useParams } from 'react-router'
import { MerchantFrame } from '../../../frame/merchant-frame.tsx'
import { mayMerchant } from '../../../frame/navigation.ts'
import { useUser } from '../../../session/profile.api.ts'
import { Button } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useBeside } from '../conversation/use-beside.ts'
import { useMerchantList, type Wanted } from '../feedback.api.ts'
import { useFeedbackText } from '../feedback.text.ts'
import { FeedbackItems } from '../list/feedback-list.tsx'
import { MerchantFilters } from './merchant-filters.tsx'
import { MerchantTalk } from './merchant-talk.tsx'
import { NotesCard } from './notes.tsx'
import { UserCard } from './user-card.tsx'

const merchantPathOf = (id: string) => pages.merchantFeedbackItem.replace(':id', id)

/** The longest wait comes first. */
const atFirst: Wanted = { waiting: true, longestFirst: true }

export default function MerchantFeedbackPage() {
  const text = useFeedbackText()
  const { id } = useParams()
  const { user } = useUser()
  const wide = useBeside()
  const [wanted, setWanted] = useState(atFirst)
  const refused = mayMerchant(user?.permission, 'WRITE') ? undefined : text.notAllowed
  return (
    <MerchantFrame title={text.merchantTitle} bare>
      <div className={id === undefined ? 'desk' : wide ? 'desk opened wide' : 'desk opened'}>
        <Inbox current={id} wanted={wanted} onWanted={setWanted} />
        {id === undefined ? (
          <Empty icon={MessageSquareText} message={text.choose} />
        ) : (
          <>
            <MerchantTalk key={id} id={id} pathOf={merchantPathOf} refused={refused} />
            <div className="beside">
              {wide && <NotesCard key={id} id={id} refused={refused} />}
              <UserCard id={id} pathOf={merchantPathOf} />
            </div>
          </>
        )}
      </div>
    </MerchantFrame>
  )
}

interface InboxProps {
  current: string | undefined
  wanted: Wanted
  onWanted: Dispatch<SetStateAction<Wanted>>
}

function Inbox({ current, wanted, onWanted }: InboxProps) {
  const text = useFeedbackText()
  const list = useMerchantList(wanted)
  const { trouble } = list
  useEffect(() => {
    if (trouble !== undefined) showToast('bad', trouble)
  }, [trouble])
  const empty = wanted.waiting ? (
    <>
      <p>{text.openEmpty}</p>
      <Button kind="soft" onClick={() => onWanted({})}>
        {text.showAll}
      </Button>
    </>
  ) : (
    <p>{text.listEmpty}</p>
  )
  return (
    <section className="card history" aria-label={text.merchantTitle}>
      <MerchantFilters wanted={wanted} onWanted={onWanted} />
      <FeedbackItems side="merchant" list={list} current={current} pathOf={merchantPathOf} empty={empty} />
    </section>
  )
}
