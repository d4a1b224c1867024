import '../lib/history/history-guard.ts'
import { pages } from '@hufu/contract/pages'
import { QueryClientProvider } from '@tanstack/react-query'
import { startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { queryClient } from '../lib/call/query-client.ts'
import { followDevice } from '../lib/device/device.ts'
import { visitorQuery } from '../session/profile.api.ts'
import { metaLoader } from '../site/load-meta.ts'
import { fetchMeta } from '../site/meta.api.ts'
import { followLook } from '../site/site-look.ts'
import { App } from './app.tsx'
import { loadPage } from './routes.tsx'

const loader = metaLoader({
  fetchMeta,
  setTimer: (run, milliseconds) => window.setTimeout(run, milliseconds),
  clearTimer: (timer) => window.clearTimeout(timer),
})

function draw() {
  const root = document.getElementById('root')
  if (!root) throw new Error('index.html has no #root')
  // As a transition the first render is split into small steps, so that a slow phone stays responsive.
  startTransition(() =>
    createRoot(root).render(
      <QueryClientProvider client={queryClient}>
        <BrowserRouter>
          <App onReconnect={loader.start} />
        </BrowserRouter>
      </QueryClientProvider>,
    ),
  )
}

/** Knowing the session before the first render avoids a flash of the wrong page; the wait for it is limited. */
const visitorSoon = () =>
  Promise.race([queryClient.prefetchQuery(visitorQuery), new Promise((resolve) => setTimeout(resolve, 1_000))])

function start() {
  // WeChat adds this fragment, and redirects keep it.
  if (window.location.hash === '#wechat_redirect')
    window.history.replaceState(null, '', window.location.pathname + window.location.search)
  followDevice()
  followLook()
  window.addEventListener('online', loader.retryNow)
  document.addEventListener('visibilitychange', () => document.hidden || loader.retryNow())
  // The document already shows the loading screen: it stays untouched until there is something else to show.
  void Promise.allSettled([loader.start(), loadPage(window.location.pathname), visitorSoon()]).then(draw)
}

// The preview starts none of this: it sends no requests and stores nothing.
if (window.location.pathname === pages.preview) void import('./preview.tsx')
else start()
