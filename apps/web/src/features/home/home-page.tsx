import '../../ui/badge.css'
import './home-page.css'
import { pages } from '@hufu/contract/pages'
import { MessageSquareText, MonitorSmartphone, ShieldCheck } from 'lucide-react'
import { Navigate } from 'react-router'
import { Entry } from '../../frame/entry.tsx'
import { usePageTitle } from '../../lib/use-page-title.ts'
import { useUser } from '../../session/profile.api.ts'
import { LoadingScreen } from '../../site/loading-screen.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { useHomeText } from './home.text.ts'

export default function HomePage() {
  const text = useHomeText()
  usePageTitle(text.title)
  const { user, waiting } = useUser()
  if (user) return <Navigate to={pages.user} replace />
  if (waiting) return <LoadingScreen />
  const offers = [
    { icon: ShieldCheck, name: text.security, hint: text.securityHint },
    { icon: MonitorSmartphone, name: text.devices, hint: text.devicesHint },
    { icon: MessageSquareText, name: text.feedback, hint: text.feedbackHint },
  ]
  return (
    <Entry>
      <div className="lead">
        <div className="lead-line">
          <h1>{text.title}</h1>
          <span className="badge">{text.notLoggedIn}</span>
        </div>
        <p>{text.invitation}</p>
      </div>
      <ul className="offers">
        {offers.map(({ icon: Icon, name, hint }) => (
          <li key={name}>
            <span className="offer-icon">
              <Icon />
            </span>
            <div>
              <b>{name}</b>
              <p>{hint}</p>
            </div>
          </li>
        ))}
      </ul>
      <ButtonLink to={pages.login} wide>
        {text.logIn}
      </ButtonLink>
    </Entry>
  )
}
