import type { ComponentType } from 'react'
import { BackOffice } from './back-office.tsx'

type Load = () => Promise<{ default: ComponentType }>

/** The pages of the back-office, each its own chunk. */
const pages = {
  home: () => import('../features/merchant-home/merchant-home-page.tsx'),
  feedback: () => import('../features/feedback/desk/merchant-feedback-page.tsx'),
  users: () => import('../features/merchant-users/users-page.tsx'),
  user: () => import('../features/merchant-users/user-page.tsx'),
  log: () => import('../features/merchant-log/log-page.tsx'),
  statistics: () => import('../features/merchant-statistics/statistics-page.tsx'),
  ai: () => import('../features/ai/ai-page.tsx'),
  wechat: () => import('../features/merchant-wechat/merchant-wechat-page.tsx'),
  config: () => import('../features/merchant-config/config-page.tsx'),
} satisfies Record<string, Load>

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
