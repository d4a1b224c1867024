import type { SiteMeta } from '@hufu/contract/site'
import { CallError, networkError } from '../lib/call/call.ts'
import { retryDelay } from './retry-schedule.ts'
import { acceptMeta, countRetry, failLoading, startLoading, useSite } from './site.store.ts'
import { siteZhCN } from './site.text.zh-CN.ts'

export interface Outside {
  fetchMeta: () => Promise<SiteMeta>
  setTimer: (run: () => void, milliseconds: number) => number
  clearTimer: (timer: number) => void
}

export interface MetaLoader {
  /** Loads from the beginning, counting retries from 0. Settles when the first answer or failure is there. */
  start: () => Promise<void>
  /** The network may be back: a waiting retry runs at once. */
  retryNow: () => void
}

export function metaLoader({ fetchMeta, setTimer, clearTimer }: Outside): MetaLoader {
  const text = siteZhCN.loading
  let waiting: number | undefined

  async function attempt() {
    try {
      acceptMeta(await fetchMeta())
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      if (error.code === networkError.code) retryLater()
      else failLoading({ title: text.serviceTitle, message: error.message, state: 'failed' })
    }
  }

  function retryLater() {
    const delay = retryDelay(useSite.getState().loading.retryCount + 1)
    if (delay === undefined) return failLoading({ title: text.lostTitle, message: text.lostMessage, state: 'lost' })
    failLoading({ title: text.networkTitle, message: text.networkMessage, state: 'working' })
    waiting = setTimer(retry, delay)
  }

  function retry() {
    waiting = undefined
    countRetry()
    void attempt()
  }

  function retryNow() {
    if (waiting === undefined) return
    clearTimer(waiting)
    retry()
  }

  function start() {
    startLoading()
    return attempt()
  }

  return { start, retryNow }
}
