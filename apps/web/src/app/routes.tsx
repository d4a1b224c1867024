import { pages } from '@hufu/contract/pages'
import { type ComponentType, lazy } from 'react'
import { matchPath, Route, Routes } from 'react-router'
import { registerPageLoader } from '../lib/page-loader.ts'
import type { OfficePage } from './merchant-pages.ts'
import type { FurtherPage } from './rare-pages.ts'
import { SignedIn } from './signed-in.tsx'

type Load = () => Promise<{ default: ComponentType }>

const loginPage: Load = () => import('../features/sign-in/login/login-page.tsx')
const feedbackPage: Load = () => import('../features/feedback/user-feedback-page.tsx')

/** The list of the back-office's files is a file of its own: customers don't load it. */
const office =
  (name: OfficePage): Load =>
  () =>
    import('./merchant-pages.ts').then(({ officePages }) => officePages[name]())
const merchantFeedbackPage = office('feedback')

/** So is that of the pages few visits open: the names of all their parts are many bytes. */
const further =
  (name: FurtherPage): Load =>
  () =>
    import('./rare-pages.ts').then(({ furtherPages }) => furtherPages[name]())

/** Every URL that has a page. Each page is a file of its own that comes when it is needed. */
const table: Record<string, Load> = {
  [pages.home]: () => import('../features/home/home-page.tsx'),
  [pages.login]: loginPage,
  [pages.loginWithSource]: loginPage,
  [pages.recover]: further('recover'),
  [pages.stopRecovery]: further('stopRecovery'),
  [pages.disown]: further('disown'),
  [pages.undo]: further('undo'),
  [pages.authorize]: () => import('../features/authorize/authorize-page.tsx'),
  [pages.loginAuthorize]: () => import('../features/authorize/login-authorize-page.tsx'),
  [pages.loginApprove]: () => import('../features/sign-in/scan/approve-page.tsx'),
  [pages.user]: () => import('../features/profile/user-page.tsx'),
  [pages.onlineDevices]: () => import('../features/devices/devices-page.tsx'),
  [pages.userFeedback]: feedbackPage,
  [pages.userFeedbackItem]: feedbackPage,
  [pages.changeMobile]: further('changeMobile'),
  [pages.changePassword]: further('changePassword'),
  [pages.changeEmail]: further('changeEmail'),
  [pages.changeUsername]: further('changeUsername'),
  [pages.twoFactor]: () => import('../identity/step-up/two-factor-page.tsx'),
  [pages.wechat]: further('wechat'),
  [pages.security]: further('security'),
  [pages.protect]: further('protect'),
  [pages.privacy]: further('privacy'),
  [pages.closeAccount]: further('closeAccount'),
  [pages.device]: further('device'),
  [pages.theme]: further('theme'),
  [pages.merchantFeedback]: merchantFeedbackPage,
  [pages.merchantFeedbackItem]: merchantFeedbackPage,
  [pages.merchant]: office('home'),
  [pages.merchantUsers]: office('users'),
  [pages.merchantUser]: office('person'),
  [pages.merchantLog]: office('log'),
  [pages.merchantStatistics]: office('statistics'),
  [pages.merchantAi]: office('ai'),
  [pages.merchantWechat]: office('wechat'),
  [pages.merchantConfig]: office('config'),
  '*': () => import('./not-found-page.tsx'),
}

/** A page with several addresses is one, and keeps what it knows on the way from one to the other. */
const lazily = new Map(Object.values(table).map((load) => [load, lazy(load)]))
const routes = Object.entries(table).map(([path, load]) => ({ path, load, Page: lazily.get(load) ?? lazy(load) }))

/** What lies under these is for signed-in people alone. */
const isPersonal = (path: string) => /^\/(user|merchant)(\/|$)/.test(path)

/** Starts loading the page of an address before anything is drawn. */
export function loadPage(address: string) {
  return routes.find(({ path }) => matchPath(path, address))?.load()
}

registerPageLoader(loadPage)

export function Pages() {
  return (
    <Routes>
      {routes.map(({ path, Page }) => (
        <Route key={path} path={path} element={isPersonal(path) ? <SignedIn page={<Page />} /> : <Page />} />
      ))}
    </Routes>
  )
}
