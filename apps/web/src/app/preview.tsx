import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { type Navigator, Router } from 'react-router'
import { devicesQuery, pageSizes } from '../features/devices/devices.api.ts'
import type { FromPreview, PreviewWish, ToPreview } from '../features/merchant-config/preview/preview-messages.ts'
import { unreadKey } from '../frame/unread.ts'
import { followAccount, refreshDevice, useDevice } from '../lib/device/device.ts'
import { visitorQuery } from '../session/profile.api.ts'
import { useSentCodes } from '../session/sent-codes.ts'
import { acceptMeta } from '../site/site.store.ts'
import { followLook } from '../site/site-look.ts'
import { App } from './app.tsx'
import { previewZhCN } from './preview.text.zh-CN.ts'
import { type PreviewAnswers, standAlone } from './preview-alone.ts'
import { settled } from './preview-settled.ts'
import { loadPage } from './routes.tsx'

// The document inside the configuration page: the real pages, controlled by the page around them.

const container = document.getElementById('root')
if (!container) throw new Error('index.html has no #root')
const root = createRoot(container)

const answers: PreviewAnswers = {
  '/api/login/entry': '/user',
  // A valid-looking scan request without effect.
  '/api/login/request/create': {
    id: 'A'.repeat(22),
    time: 1_790_000_000_000,
    ip: '203.0.113.7',
    origin: location.origin,
  },
}

const post = (news: FromPreview) => window.parent.postMessage(news, location.origin)

/** Loads everything a page may show before it is rendered, so that nothing flickers. */
const preload = ({ path }: PreviewWish) =>
  Promise.all([loadPage(path), path === '/user' && import('./rare-pages.ts').then(({ agreeDialog }) => agreeDialog())])

/** A navigator that never navigates. */
const nowhere: Navigator = {
  createHref: (to) => (typeof to === 'string' ? to : (to.pathname ?? '')),
  push: () => undefined,
  replace: () => undefined,
  go: () => undefined,
}

let client = new QueryClient()
let shown = ''

/** A page is remounted only where it would otherwise keep a choice from the former regions. */
function show({ path, meta, user, unread, devices, preference }: PreviewWish) {
  const key = path + JSON.stringify(meta.regions)
  if (key !== shown) {
    client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } } })
    window.scrollTo(0, 0)
  }
  shown = key
  const known = path === '/user'
  client.setQueryData(visitorQuery.queryKey, known ? { user } : { removed: false })
  if (known) client.setQueryData(unreadKey(user.id), unread)
  for (const top of known && devices !== undefined ? pageSizes : [])
    client.setQueryData(devicesQuery(user.id, { top, skip: 0 }).queryKey, { count: devices ?? 0, data: [] })
  acceptMeta(meta)
  useDevice.setState({ preference })
  followAccount(known ? user.preference : {})
  const page = (
    <QueryClientProvider client={client} key={key}>
      <Router location={path} navigator={nowhere}>
        <App onReconnect={() => undefined} />
      </Router>
    </QueryClientProvider>
  )
  // As a transition: the former page stays until the next one is ready.
  startTransition(() => root.render(page))
}

let newest = 0

async function onMessage({ origin, source, data }: MessageEvent<ToPreview>) {
  if (origin !== location.origin || source !== window.parent || data?.kind !== 'preview-show') return
  const { number, wish } = data
  newest = number
  await preload(wish)
  if (newest !== number) return
  show(wish)
  await settled()
  if (newest === number) post({ kind: 'preview-drawn', number })
}

function listen(within: HTMLElement) {
  within.inert = true
  // Phones have no scrollbar, and the preview must not depend on the operator's system.
  document.documentElement.style.scrollbarWidth = 'none'
  standAlone(answers)
  // They were read from storage before it was replaced.
  useSentCodes.setState({ codes: [] })
  refreshDevice()
  followLook()
  for (const event of ['resize', 'scroll']) window.addEventListener(event, refreshDevice, { passive: true })
  window.addEventListener('message', (event) => void onMessage(event))
  post({ kind: 'preview-open' })
}

function sayAlone() {
  root.render(
    <main className="hello">
      <p>{previewZhCN.alone}</p>
    </main>,
  )
}

if (window.parent === window) sayAlone()
else listen(container)
