import { useEffect, useRef } from 'react'
import { useLocation, useNavigationType } from 'react-router'
import { call } from '../../lib/call.ts'
import { useDevice } from '../../lib/device.ts'
import { entryNumber } from '../../lib/go-back.ts'

/** After a change of page inside the document: report it, start at the top, tell screen readers. */
export function useRouteFollowing() {
  const { pathname } = useLocation()
  const kind = useNavigationType()
  const shown = useRef(pathname)
  useEffect(() => {
    useDevice.setState({ hasBack: entryNumber() > 0 })
    if (shown.current === pathname) return
    shown.current = pathname
    call('/api/page/visit', {}).catch(() => undefined)
    if (kind !== 'POP') window.scrollTo(0, 0)
    document.getElementById('main')?.focus({ preventScroll: true })
  }, [pathname, kind])
}
