import type { LoginMethod } from '@hufu/contract/site'
import { KeyRound, type LucideIcon, QrCode, Smartphone } from 'lucide-react'
import { type ComponentProps, type ComponentType, lazy, Suspense } from 'react'
import type { MethodProps } from './lead.tsx'
import { MobileForm } from './mobile-form.tsx'
import { PasswordForm } from './password-form.tsx'

// Loaded on demand.
const ScanForm = lazy(() => import('../scan/scan-form.tsx'))

const ScanMethod = ({ onSignedIn }: Pick<MethodProps, 'onSignedIn'>) => (
  <Suspense fallback={<div className="scan-room" />}>
    <ScanForm onSignedIn={onSignedIn} />
  </Suspense>
)

interface Method {
  icon: LucideIcon
  /** Takes what it needs of the props. */
  form: ComponentType<ComponentProps<typeof MobileForm>>
  /** Whether it is offered inside WeChat too. */
  inWeChat: boolean
}

/** Every method of the sign-in page; its label is in the texts. */
export const loginMethods: Record<LoginMethod, Method> = {
  mobile: { icon: Smartphone, form: MobileForm, inWeChat: true },
  password: { icon: KeyRound, form: PasswordForm, inWeChat: true },
  // Scanning makes no sense inside the app that would scan.
  wechat: { icon: QrCode, form: ScanMethod, inWeChat: false },
}

const known = Object.keys(loginMethods) as LoginMethod[]

/** What the page offers, in the site's order. */
export function offeredMethods(wanted: readonly LoginMethod[], inWeChat: boolean): LoginMethod[] {
  const listed = wanted.length > 0 ? wanted : known
  const offered = listed.filter((method) => known.includes(method) && (!inWeChat || loginMethods[method].inWeChat))
  return offered.length > 0 ? [...new Set(offered)] : ['mobile']
}

/** Whether the site lets users sign in by WeChat at all: by scan, or inside WeChat by a tap. */
export const offersWechat = (wanted: readonly LoginMethod[]): boolean =>
  wanted.length === 0 || wanted.includes('wechat')
