import type { SiteMeta } from '@hufu/contract/site'
import { useQuery } from '@tanstack/react-query'
import { BadgeCheck, ExternalLink, FileText, History, type LucideIcon, ShieldCheck } from 'lucide-react'
import { useNow } from '../../lib/time/use-now.ts'
import { momentOf } from '../../lib/time/when.ts'
import { useAskAgain } from '../../lib/use-ask-again.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ErrorLine } from '../../ui/fields/field.tsx'
import { consentsQuery } from './privacy.api.ts'
import { usePrivacyText } from './privacy.text.ts'

/** What the site's agreements say, and which versions of them the user has agreed to. */
export function AgreementsCard({ agreements }: { agreements: NonNullable<SiteMeta['agreements']> }) {
  const { agreements: text, tryAgain, when } = usePrivacyText()
  const now = useNow()
  const { data: consents, failureReason } = useQuery(consentsQuery)
  const askAgain = useAskAgain(consentsQuery.queryKey)
  const { version } = agreements
  const agreed = consents?.data.find((each) => each.version === version)
  const earlier = consents?.data.filter((each) => each.version !== version) ?? []
  const consentWords = (given: { version: string; time: number }) =>
    text.agreed(given.version, momentOf(given.time, now, when))
  return (
    <Card title={text.title} rows>
      <OutsideRow to={agreements.terms} icon={FileText} label={text.terms} />
      <OutsideRow to={agreements.privacy} icon={ShieldCheck} label={text.privacy} />
      <div className="row">
        <BadgeCheck />
        <span className="name">{text.version}</span>
        <span className="value consent">
          {agreed ? consentWords(agreed) : consents ? text.notAgreed(version) : version}
        </span>
      </div>
      {!consents && failureReason && (
        <div className="row consents-trouble">
          <ErrorLine message={failureReason.message} />
          <Button kind="soft" onClick={askAgain}>
            {tryAgain}
          </Button>
        </div>
      )}
      {earlier.length > 0 && (
        <div className="row tall">
          <History />
          <span className="name">{text.earlier}</span>
          <ul className="value consents">
            {earlier.map((each) => (
              <li key={each.version}>{consentWords(each)}</li>
            ))}
          </ul>
        </div>
      )}
    </Card>
  )
}

function OutsideRow({ to, icon: Icon, label }: { to: string; icon: LucideIcon; label: string }) {
  const text = usePrivacyText().agreements
  return (
    <a className="row" href={to} target="_blank" rel="noopener noreferrer">
      <Icon />
      <span className="name">{label}</span>
      <span className="value">
        <span className="unseen">{text.outside}</span>
      </span>
      <ExternalLink className="go" />
    </a>
  )
}
