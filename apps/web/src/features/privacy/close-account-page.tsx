import './close-account-page.css'
import { pages } from '@hufu/contract/pages'
import { useGoBack } from '../../lib/go-back.ts'
import { usePrivacyText } from '../../lib/privacy-text.ts'
import { Frame } from '../../ui/frame.tsx'
import { useUser } from '../profile/profile.api.ts'
import { CloseForm } from './close-form.tsx'
import ClosingBanner from './closing-banner.tsx'

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
