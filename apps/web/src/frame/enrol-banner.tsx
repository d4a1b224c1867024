import '../ui/notice.css'
import './enrol-banner.css'
import { pages } from '@hufu/contract/pages'
import { ShieldAlert } from 'lucide-react'
import { useLocation } from 'react-router'
import { dayInChina } from '../lib/time/china-time.ts'
import { useNow } from '../lib/time/use-now.ts'
import { useUser } from '../session/profile.api.ts'
import { ButtonLink } from '../ui/button.tsx'
import { useEnrolText } from './enrol.text.ts'

/** Until when an operator may work without a second factor. The time ends at midnight in China: its last day is the one before. */
export function EnrolBanner() {
  const text = useEnrolText()
  const now = useNow()
  const { pathname, search } = useLocation()
  const until = useUser().user?.enrolBy ?? null
  if (until === null || until <= now) return null
  const { month, date } = dayInChina(until - 1)
  return (
    <section className="notice warn enrol-banner" aria-label={text.banner}>
      <p>
        <ShieldAlert />
        <span>
          {text.until(text.date(month, date))}
          {text.soon}
        </span>
      </p>
      <ButtonLink kind="quiet" to={pages.protection} state={{ from: pathname + search }}>
        {text.go}
      </ButtonLink>
    </section>
  )
}
