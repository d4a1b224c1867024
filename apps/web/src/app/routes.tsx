import { pages } from '@hufu/contract/pages'
import { type ComponentType, lazy } from 'react'
import { matchPath, Route, Routes } from 'react-router'
import { registerPageLoader } from '../lib/page-loader.ts'
import type { MerchantPage } from './merchant-pages.tsx'
import type { RarePage } from './rare-pages.ts'
import { SignedIn } from './signed-in.tsx'

type Load = () => Promise<{ default: ComponentType }>

const loginPage: Load = () => import('../features/sign-in/login/login-page.tsx')

/** The list of back-office chunks is a chunk of its own, so that customers don't load it. */
const merchant =
  (name: MerchantPage): Load =>
  () =>
    import('./merchant-pages.tsx').then(({ loadMerchantPage }) => loadMerchantPage(name))
const merchantFeedbackPage = merchant('feedback')

/** The same for pages that few visits open: the names of their chunks take many bytes. */
const rare =
  (name: RarePage): Load =>
  () =>
    import('./rare-pages.ts').then(({ rarePages }) => rarePages[name]())

const feedbackPage = rare('feedback')

/** Every URL that has a page. Each page is a chunk that is loaded on demand. */
const table: Record<string, Load> = {
  [pages.home]: () => import('../features/home/home-page.tsx'),
  [pages.login]: loginPage,
  [pages.loginWithSource]: loginPage,
  [pages.secondStep]: loginPage,
  [pages.recover]: rare('recover'),
  [pages.stopRecovery]: rare('stopRecovery'),
  [pages.disown]: rare('disown'),
  [pages.undo]: rare('undo'),
  [pages.authorize]: () => import('../features/authorize/authorize-page.tsx'),
  [pages.loginAuthorize]: () => import('../features/authorize/login-authorize-page.tsx'),
  [pages.loginApprove]: () => import('../features/sign-in/scan/approve-page.tsx'),
  [pages.user]: () => import('../features/profile/user-page.tsx'),
  [pages.onlineDevices]: rare('onlineDevices'),
  [pages.userFeedback]: feedbackPage,
  [pages.userFeedbackItem]: feedbackPage,
  [pages.changeMobile]: rare('changeMobile'),
  [pages.changePassword]: rare('changePassword'),
  [pages.changeEmail]: rare('changeEmail'),
  [pages.changeUsername]: rare('changeUsername'),
  [pages.twoFactor]: rare('twoFactor'),
  [pages.wechat]: rare('wechat'),
  [pages.security]: rare('security'),
  [pages.protect]: rare('protect'),
  [pages.protection]: rare('protection'),
  [pages.protectionPasskeys]: rare('protectionPasskeys'),
  [pages.protectionTotp]: rare('protectionTotp'),
  [pages.protectionCodes]: rare('protectionCodes'),
  [pages.privacy]: rare('privacy'),
  [pages.closeAccount]: rare('closeAccount'),
  [pages.device]: rare('device'),
  [pages.theme]: rare('theme'),
  [pages.merchantFeedback]: merchantFeedbackPage,
  [pages.merchantFeedbackItem]: merchantFeedbackPage,
  [pages.merchant]: merchant('home'),
  [pages.merchantUsers]: merchant('users'),
  [pages.merchantUser]: merchant('user'),
  [pages.merchantLog]: merchant('log'),
  [pages.merchantStatistics]: merchant('statistics'),
  [pages.merchantAi]: merchant('ai'),
  [pages.merchantWechat]: merchant('wechat'),
  [pages.merchantConfig]: merchant('config'),
  '*': () => import('./not-found-page.tsx'),
}

/** A page with several URLs is one component, so it keeps its state between them. */
const lazily = new Map(Object.values(table).map((load) => [load, lazy(load)]))
const routes = Object.entries(table).map(([path, load]) => ({ path, load, Page: lazily.get(load) ?? lazy(load) }))

/** Pages under these paths need a session. */
const isPersonal = (path: string) => /^\/(user|merchant)(\/|$)/.test(path)

/** Starts loading the page of an address before the first render. */
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
