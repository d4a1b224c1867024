import { previewOf } from '@hufu/contract/feedback-rules'
import { pages } from '@hufu/contract/pages'
import { Link } from 'react-router'
import { useNow } from '../../lib/time/use-now.ts'
import { whenOf } from '../../lib/time/when.ts'
import { Card } from '../../ui/card.tsx'
import { Skeleton } from '../../ui/waiting.tsx'
import { StatusBadge } from '../feedback/conversation/status-badge.tsx'
import { entriesOf } from '../feedback/conversation/talk.ts'
import { useMerchantUsersText } from './merchant-users.text.ts'
import { useUserFeedback } from './user.api.ts'

/** What the user wrote to us, newest first. */
export function UserFeedback({ id }: { id: string }) {
  const { user: text, when } = useMerchantUsersText()
  const now = useNow()
  const items = useUserFeedback(id)
  return (
    <Card title={text.feedback}>
      {!items && <Skeleton label={text.waiting} rows={1} />}
      {items?.length === 0 && <p className="person-none">{text.noFeedback}</p>}
      {items && items.length > 0 && (
        <ul className="person-feedback">
          {items.map((item) => (
            <li key={item.id}>
              <Link to={pages.merchantFeedbackItem.replace(':id', item.id)}>
                <span>
                  <StatusBadge side="merchant" status={item.status} />
                  <time dateTime={new Date(item.time).toISOString()}>{whenOf(item.time, now, when)}</time>
                </span>
                <span className="person-words">{previewOf(entriesOf(item)[0]?.message ?? '')}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
