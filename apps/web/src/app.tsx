import { Suspense } from 'react'
import { useLocation } from 'react-router'
import { useLive } from './features/feedback/use-live.ts'
import { useSessionEnd } from './features/profile/profile.api.ts'
import { useAccountPreference } from './features/profile/use-account-preference.ts'
import { useRouteFollowing } from './features/shell/use-route-following.ts'
import { LoadingScreen } from './features/site/loading-screen.tsx'
import { useSite } from './features/site/site.store.ts'
import { Pages } from './routes.tsx'
import { Menu } from './ui/drawer.tsx'
import { PageGuard } from './ui/page-guard.tsx'
import { Toaster } from './ui/toast.tsx'

export function App({ onReconnect }: { onReconnect: () => void }) {
  const loading = useSite((site) => site.loading.visible)
  const { pathname } = useLocation()
  useRouteFollowing()
  useAccountPreference()
  useSessionEnd()
  useLive()
  if (loading) return <LoadingScreen onReconnect={onReconnect} />
  return (
    <>
      <Suspense fallback={<LoadingScreen />}>
        <PageGuard path={pathname}>
          <Pages />
        </PageGuard>
      </Suspense>
      <Menu />
      <Toaster />
    </>
  )
}
