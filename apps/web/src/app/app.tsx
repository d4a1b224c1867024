import { Suspense } from 'react'
import { useLocation } from 'react-router'
import { useLive } from '../features/feedback/use-live.ts'
import { Menu } from '../frame/drawer.tsx'
import { PageGuard } from '../frame/page-guard.tsx'
import { useSessionEnd } from '../session/profile.api.ts'
import { useAccountPreference } from '../session/use-account-preference.ts'
import { LoadingScreen } from '../site/loading-screen.tsx'
import { useSite } from '../site/site.store.ts'
import { Toaster } from '../ui/toast.tsx'
import { Pages } from './routes.tsx'
import { useRouteFollowing } from './use-route-change.ts'

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
