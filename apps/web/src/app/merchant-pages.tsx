import type { pages as addresses } from '@hufu/contract/pages'
import type { ComponentType } from 'react'
import { BackOffice } from './back-office.tsx'

type Load = () => Promise<{ default: ComponentType }>
type Name = Exclude<Extract<keyof typeof addresses, `merchant${string}`>, 'merchantFeedbackItem'>

/** The pages of the back-office, by their name in the contract, each its own chunk. */
const pages = {
  merchant: () => import('../features/merchant-home/merchant-home-page.tsx'),
  merchantFeedback: () => import('../features/feedback/desk/merchant-feedback-page.tsx'),
  merchantUsers: () => import('../features/merchant-users/users-page.tsx'),
  merchantUser: () => import('../features/merchant-users/user-page.tsx'),
  merchantLog: () => import('../features/merchant-log/log-page.tsx'),
  merchantStatistics: () => import('../features/merchant-statistics/statistics-page.tsx'),
  merchantAi: () => import('../features/ai/ai-page.tsx'),
  merchantWechat: () => import('../features/merchant-wechat/merchant-wechat-page.tsx'),
  merchantConfig: () => import('../features/merchant-config/config-page.tsx'),
} satisfies Record<Name, Load>

export type MerchantPage = keyof typeof pages

export async function loadMerchantPage(name: MerchantPage): Promise<{ default: ComponentType }> {
  const { default: Page } = await pages[name]()
  return {
    default: () => (
      <BackOffice>
        <Page />
      </BackOffice>
    ),
  }
}
