import { pages } from '@hufu/contract/pages'
import { CloudOff, LogIn } from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import { matchPath, useLocation } from 'react-router'
import { useFrameText } from '../frame/frame.text.ts'
import { Frame } from '../frame/frame.tsx'
import { currentLink } from '../frame/navigation.ts'
import { loginLeadingTo } from '../session/login-source.ts'
import { useUser } from '../session/profile.api.ts'
import { useSite } from '../site/site.store.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Empty } from '../ui/empty.tsx'
import { Skeleton } from '../ui/waiting.tsx'

const AgreeDialog = lazy(() => import('./rare-pages.ts').then(({ agreeDialog }) => agreeDialog()))

/** Personal rights and emergencies don't wait for a consent. */
const unasked = [pages.privacy, pages.closeAccount, pages.protect, pages.security, pages.twoFactor]

/** A page that needs a session. Other visitors are asked to sign in at the same URL and return to it. */
export function SignedIn({ page }: { page: ReactNode }) {
  const text = useFrameText()
  const { pathname, search } = useLocation()
  const { user, signedOut, removed, trouble, askAgain } = useUser()
  const agreements = useSite((site) => site.agreements)
  if (user) {
    const asked =
      agreements && agreements.version !== user.agreements && !unasked.some((page) => matchPath(page, pathname))
    return (
      <>
        {page}
        <Suspense>{asked && <AgreeDialog agreements={agreements} before={user.agreements !== null} />}</Suspense>
      </>
    )
  }
  return (
    <Frame title={text.frame[currentLink(pathname) ?? 'user']}>
      {signedOut && (
        <Empty
          icon={LogIn}
          title={removed ? text.signIn.removed : text.signIn.first}
          message={removed ? text.signIn.removedHint : text.signIn.firstHint}
        >
          <ButtonLink to={loginLeadingTo(pathname + search)}>{text.signIn.logIn}</ButtonLink>
        </Empty>
      )}
      {trouble && (
        <Empty icon={CloudOff} message={trouble}>
          <Button kind="soft" onClick={askAgain}>
            {text.signIn.tryAgain}
          </Button>
        </Empty>
      )}
      {!signedOut && !trouble && (
        <Card>
          <Skeleton label={text.signIn.waiting} rows={3} />
        </Card>
      )}
    </Frame>
  )
}
