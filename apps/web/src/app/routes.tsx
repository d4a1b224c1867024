import { pages } from '@hufu/contract/pages'
import { type ComponentType, lazy } from 'react'
import { matchPath, Route, Routes } from 'react-router'
import { registerPageLoader } from '../lib/page-loader.ts'
import type { MerchantPage } from './merchant-pages.tsx'
import type { RarePage } from './rare-pages.ts'
import { SignedIn } from './signed-in.tsx'

type Load = () => Promise<{ default: ComponentType }>
type PageName = keyof typeof pages

const notFoundPage: Load = () => import('./not-found-page.tsx')
const loginPage: Load = () => import('../features/sign-in/login/login-page.tsx')

/** The list of back-office chunks is a chunk of its own, so that customers don't load it. */
const merchant =
  (name: MerchantPage): Load =>
  () =>
    import('./merchant-pages.tsx').then(({ loadMerchantPage }) => loadMerchantPage(name))
const merchantFeedbackPage = merchant('merchantFeedback')

/** The same for pages that few visits open: the names of their chunks take many bytes. */
const rare =
  (name: RarePage): Load =>
  () =>
    import('./rare-pages.ts').then(({ rarePages }) => rarePages[name]())

const feedbackPage = rare('userFeedback')

/** Pages that many visits open, and those with two URLs. Each page is a chunk that is loaded on demand. */
const common: Partial<Record<PageName, Load>> = {
  home: () => import('../features/home/home-page.tsx'),
  login: loginPage,
  loginWithSource: loginPage,
  secondStep: loginPage,
  loginApprove: () => import('../features/sign-in/scan/approve-page.tsx'),
  user: () => import('../features/profile/user-page.tsx'),
  userFeedback: feedbackPage,
  userFeedbackItem: feedbackPage,
  merchantFeedback: merchantFeedbackPage,
  merchantFeedbackItem: merchantFeedbackPage,
  preview: notFoundPage,
}

const lazyPage = (name: string) =>
  name.startsWith('merchant') ? merchant(name as MerchantPage) : rare(name as RarePage)

/** Every URL that has a page. */
const table: [string, Load][] = [
  ...Object.entries(pages).map(([name, path]): [string, Load] => [path, common[name as PageName] ?? lazyPage(name)]),
  ['*', notFoundPage],
]

/** A page with several URLs is one component, so it keeps its state between them. */
const lazily = new Map(table.map(([, load]) => [load, lazy(load)]))
const routes = table.map(([path, load]) => ({ path, load, Page: lazily.get(load) ?? lazy(load) }))

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
