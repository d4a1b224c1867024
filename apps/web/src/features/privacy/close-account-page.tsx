import './close-account-page.css'
import { pages } from '@hufu/contract/pages'
import { Frame } from '../../frame/frame.tsx'
import { useGoBack } from '../../lib/history/go-back.ts'
import { useUser } from '../../session/profile.api.ts'
import { CloseForm } from './close-form.tsx'
import ClosingBanner from './closing-banner.tsx'
import { usePrivacyText } from './privacy.text.ts'

/** What it means to close the account, and the wish to; or, while it waits to be erased, the way back. */
export default function CloseAccountPage() {
  const text = usePrivacyText().close
  const goBack = useGoBack(pages.privacy)
  const { user } = useUser()
  return (
    <Frame title={text.title} narrow onBack={() => goBack(1)}>
      {user?.closing ? <ClosingBanner due={user.closing} /> : <CloseForm />}
    </Frame>
  )
}
