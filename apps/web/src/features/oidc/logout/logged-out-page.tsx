import './logout.css'
import { pages } from '@hufu/contract/pages'
import { Entry } from '../../../frame/entry.tsx'
import { usePageTitle } from '../../../lib/use-page-title.ts'
import { useUser } from '../../../session/profile.api.ts'
import { nameOf } from '../../../session/user.ts'
import { LoadingScreen } from '../../../site/loading-screen.tsx'
import { useSite } from '../../../site/site.store.ts'
import { ButtonLink } from '../../../ui/button.tsx'
import { ResultMark } from '../../../ui/result-mark.tsx'
import { useLogoutText } from './logout.text.ts'

/** Where signing out ends, unless the client has a page of its own for that. */
export default function LoggedOutPage() {
  const text = useLogoutText()
  const site = useSite(({ name }) => name)
  const { user, waiting } = useUser()
  usePageTitle(text.title)
  if (waiting) return <LoadingScreen />
  return (
    <Entry>
      <div className="logged-out">
        <ResultMark good={!user} />
        <h1>{user ? text.still : text.done}</h1>
        <p>{user ? text.stillLead(nameOf(user)) : text.doneLead(site)}</p>
      </div>
      <ButtonLink wide to={user ? pages.user : pages.login}>
        {user ? text.toAccount : text.again}
      </ButtonLink>
    </Entry>
  )
}
