/** The pages of the back-office, each a file of its own. */
export const officePages = {
  home: () => import('./features/shell/merchant-home-page.tsx'),
  feedback: () => import('./features/feedback/merchant-feedback-page.tsx'),
  users: () => import('./features/users/users-page.tsx'),
  person: () => import('./features/users/person-page.tsx'),
  log: () => import('./features/operators/log-page.tsx'),
  statistics: () => import('./features/statistics/statistics-page.tsx'),
  ai: () => import('./features/ai/ai-page.tsx'),
  wechat: () => import('./features/wechat/merchant-wechat-page.tsx'),
  config: () => import('./features/site/config-page.tsx'),
}

export type OfficePage = keyof typeof officePages
