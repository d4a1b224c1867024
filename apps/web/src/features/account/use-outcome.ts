import type { UserInfo } from '@hufu/contract/profile'
import { useEffect, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { useAskCheck } from '../../identity/step-up/two-factor.api.ts'
import { outcomeIn, withoutOutcome } from '../../identity/wechat/outcome.ts'
import { showToast } from '../../ui/toast.tsx'
import { useWechatPageText } from './wechat-page.text.ts'

/** Handles the outcome of WeChat once: shows a success, leads to a required check, and cleans the address. */
export function useOutcome(user: UserInfo | undefined): void {
  const text = useWechatPageText().done
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const askCheck = useAskCheck()
  const handled = useRef(false)
  const outcome = outcomeIn(search)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the user is known
  useEffect(() => {
    if (!user || outcome === null || handled.current) return
    handled.current = true
    void navigate(pathname + withoutOutcome(search), { replace: true })
    if (Object.hasOwn(text, outcome)) showToast('good', text[outcome as keyof typeof text])
    if (outcome === 'TWO_FACTOR_REQUIRED') askCheck()
  }, [user, outcome])
}
