import { pages } from '@hufu/contract/pages'
import { Link } from 'react-router'
import { useRecoveryText } from '../../lib/recovery-text.ts'
import { Notice } from '../../ui/notice.tsx'
import { useUser } from '../profile/profile.api.ts'
import { useSite } from '../site/site.store.ts'

/** Who can't prove anything here is helped by people: where to find them. */
export function Support({ children }: { children: string }) {
  const text = useRecoveryText().support
  const { name, site } = useSite()
  const { user } = useUser()
  return (
    <Notice>
      {children}
      <span className="recover-ways">
        {site && (
          <a href={site} target="_blank" rel="noreferrer">
            {text.site(name)}
          </a>
        )}
        {user && <Link to={pages.userFeedback}>{text.feedback}</Link>}
      </span>
    </Notice>
  )
}
