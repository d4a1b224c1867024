import './logout.css'
import { pages } from '@hufu/contract/pages'
import type { UserInfo } from '@hufu/contract/profile'
import { useQuery } from '@tanstack/react-query'
import { Navigate, useParams } from 'react-router'
import { Entry } from '../../../frame/entry.tsx'
import { usePageTitle } from '../../../lib/use-page-title.ts'
import { useUser } from '../../../session/profile.api.ts'
import { nameOf } from '../../../session/user.ts'
import { LoadingScreen } from '../../../site/loading-screen.tsx'
import { useSite } from '../../../site/site.store.ts'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { ClientLine } from '../../../ui/client-mark.tsx'
import { ErrorLine } from '../../../ui/fields/field.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Skeleton } from '../../../ui/waiting.tsx'
import { isLogoutOver, logoutQuery, useConfirmLogout } from './logout.api.ts'
import { useLogoutText } from './logout.text.ts'

/** A client asks to sign out, and the user decides. */
export default function ConfirmLogoutPage() {
  usePageTitle(useLogoutText().title)
  const { id = '' } = useParams()
  const { user, signedOut, trouble, askAgain } = useUser()
  const confirm = useConfirmLogout(id)
  // Signed out by this very page: the browser is on its way to the client.
  if (confirm.isSuccess) return <LoadingScreen />
  if (signedOut) return <Navigate replace to={pages.loggedOut} />
  if (!user && !trouble) return <LoadingScreen />
  return (
    <Entry>
      {user ? (
        <Asked key={id} id={id} user={user} confirm={confirm} />
      ) : (
        <Failed message={trouble} onRetry={askAgain} />
      )}
    </Entry>
  )
}

interface Props {
  id: string
  user: UserInfo
  confirm: ReturnType<typeof useConfirmLogout>
}

function Asked({ id, user, confirm }: Props) {
  const text = useLogoutText()
  const site = useSite(({ name }) => name)
  const { data, error, refetch } = useQuery(logoutQuery(id))
  if (isLogoutOver(error) || isLogoutOver(confirm.error)) return <Over />
  if (error) return <Failed message={error.message} onRetry={() => void refetch()} />
  if (!data) return <Skeleton label={text.waiting} rows={3} />
  return (
    <>
      <div className="lead logout-ask">
        <h1>{text.ask(data.client?.name)}</h1>
        <p>{text.lead(site, nameOf(user))}</p>
      </div>
      {data.client && <ClientLine client={data.client} />}
      <div className="logout-acts">
        <ErrorLine message={confirm.error?.message} />
        <Button wide busy={confirm.isPending} onClick={() => confirm.mutate()}>
          {text.go}
        </Button>
        <ButtonLink kind="quiet" wide to={pages.user}>
          {text.cancel}
        </ButtonLink>
      </div>
    </>
  )
}

function Failed({ message, onRetry }: { message: string | undefined; onRetry: () => void }) {
  const text = useLogoutText()
  return (
    <>
      <div className="lead">
        <h1>{text.failed}</h1>
      </div>
      <div role="alert">
        <Notice kind="bad">{message}</Notice>
      </div>
      <Button wide onClick={onRetry}>
        {text.tryAgain}
      </Button>
    </>
  )
}

function Over() {
  const text = useLogoutText()
  return (
    <>
      <div className="lead">
        <h1>{text.over}</h1>
        <p>{text.overLead}</p>
      </div>
      <ButtonLink wide to={pages.user}>
        {text.toAccount}
      </ButtonLink>
    </>
  )
}
