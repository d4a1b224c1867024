import { pages } from '@hufu/contract/pages'
import { useEffect, useRef } from 'react'
import { useLocation, useNavigate, useNavigationType } from 'react-router'
import { useDevice } from '../lib/device/device.ts'
import { entryNumber } from '../lib/history/go-back.ts'
import { reportVisit } from './page-visit.api.ts'

/** After a client-side navigation: reports the visit, scrolls to the top, moves the focus for screen readers. */
export function useRouteFollowing() {
  const { pathname, search } = useLocation()
  useWechatOutcome(pathname, search)
  const kind = useNavigationType()
  const shown = useRef(pathname)
  useEffect(() => {
    useDevice.setState({ hasBack: entryNumber() > 0 })
    if (shown.current === pathname) return
    shown.current = pathname
    reportVisit()
    if (kind !== 'POP') window.scrollTo(0, 0)
    document.getElementById('main')?.focus({ preventScroll: true })
  }, [pathname, kind])
}

/** Pages that show the outcome of WeChat themselves. */
const showsOutcome = (pathname: string) => pathname === pages.wechat || /^\/login(\/|$)/.test(pathname)

/** A failed redirect through WeChat is shown on the page where it ends. */
function useWechatOutcome(pathname: string, search: string) {
  const navigate = useNavigate()
  const outcome = search.includes('wechat=') && !showsOutcome(pathname) && new URLSearchParams(search).get('wechat')
  useEffect(() => {
    if (!outcome) return
    void import('./show-wechat-outcome.ts').then((module) => module.showWechatOutcome(outcome))
    const rest = new URLSearchParams(search)
    rest.delete('wechat')
    void navigate({ pathname, search: rest.toString() }, { replace: true })
  }, [outcome, pathname, search, navigate])
}
