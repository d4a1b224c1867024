import { pages } from '@hufu/contract/pages'
import { Link } from 'react-router'
import { useUser } from '../../session/profile.api.ts'
import { useSite } from '../../site/site.store.ts'
import { Notice } from '../../ui/notice.tsx'
import { useRecoveryText } from './recovery.text.ts'

/** The site's support, for users who can't prove their identity here. */
export function Support({ children }: { children: string }) {
  const text = useRecoveryText().support
  const { user } = useUser()
  return (
    <Notice>
      {children}
      <span className="recover-ways">
        <Contact />
        {user && <Link to={pages.userFeedback}>{text.feedback}</Link>}
      </span>
    </Notice>
  )
}

/** As the operator wrote it, a number to call or an address; without either the site's own. */
function Contact() {
  const text = useRecoveryText().support
  const { name, site, support } = useSite()
  if (support && !support.includes(':'))
    return <a href={`tel:${support.replace(/[^\d+]/g, '')}`}>{text.phone(support)}</a>
  const address = support ?? site
  if (!address) return null
  return (
    <a href={address} target="_blank" rel="noreferrer">
      {support ? text.contact : text.site(name)}
    </a>
  )
}
