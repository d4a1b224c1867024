import './privacy-page.css'
import { pages } from '@hufu/contract/pages'
import { Globe, UserRoundX } from 'lucide-react'
import { Frame } from '../../frame/frame.tsx'
import { useUser } from '../../session/profile.api.ts'
import { useSite } from '../../site/site.store.ts'
import { Card } from '../../ui/card.tsx'
import { ExplainedRow } from '../../ui/explained-row.tsx'
import { LinkRow } from '../../ui/row.tsx'
import { AgreementsCard } from './agreements-card.tsx'
import { DataExportCard } from './data-export-card.tsx'
import { usePrivacyText } from './privacy.text.ts'

/** What the user has agreed to, a copy of all that is kept about them, and the way out. */
export default function PrivacyPage() {
  const text = usePrivacyText()
  const agreements = useSite((site) => site.agreements)
  const { user } = useUser()
  return (
    <Frame title={text.title}>
      {agreements && <AgreementsCard agreements={agreements} />}
      <Card rows>
        <ExplainedRow
          icon={Globe}
          name={text.authorizations.title}
          line={text.authorizations.line}
          value=""
          to={pages.authorizations}
        />
      </Card>
      <DataExportCard />
      <Card rows>
        <LinkRow
          to={pages.closeAccount}
          icon={UserRoundX}
          label={text.close.title}
          value={user?.closing ? text.close.requested : undefined}
        />
      </Card>
    </Frame>
  )
}
