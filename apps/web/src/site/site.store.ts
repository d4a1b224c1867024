import type { SiteMeta } from '@hufu/contract/site'
import { create } from 'zustand'
import { defaultPrimary } from '../lib/device/brand.ts'
import { setTitle, useDevice } from '../lib/device/device.ts'
import { useOfferedLanguages } from '../lib/text/text.ts'
import { siteZhCN } from './site.text.zh-CN.ts'

export interface Loading {
  visible: boolean
  title: string
  message: string
  /** How many times the meta request was retried. */
  retryCount: number
  /** Lost: given up, the user may try again by hand. Failed: trying again wouldn't help. */
  state: 'working' | 'failed' | 'lost'
}

/** The server's meta, and beside it the loading state, which no field of the server can overwrite. */
export type Site = SiteMeta & { loading: Loading }

const { title, message } = siteZhCN.loading
const firstLoading: Loading = { visible: true, title, message, retryCount: 0, state: 'working' }

/** Until the meta is loaded: what the served document says of the site. */
export function earlySite({ name = '', primary = defaultPrimary, logo }: DOMStringMap): Site {
  const early: Site = {
    name,
    methods: [],
    regions: [],
    theme: { primary },
    languages: ['zh-CN'],
    registration: 'open',
    wechatEnabled: false,
    loading: firstLoading,
  }
  if (logo) early.logoIcon = logo
  return early
}

export const useSite = create<Site>(() => earlySite(document.documentElement.dataset))

/** Replaces the former meta: fields it no longer has are removed. */
export function acceptMeta(meta: SiteMeta) {
  useSite.setState({ ...meta, loading: { ...firstLoading, visible: false } }, true)
  useDevice.setState({ regions: meta.regions })
  useOfferedLanguages.setState({ languages: meta.languages })
}

export function startLoading() {
  useSite.setState({ loading: firstLoading })
}

export function countRetry() {
  useSite.setState(({ loading }) => ({ loading: { ...loading, retryCount: loading.retryCount + 1 } }))
}

export function failLoading(failure: Pick<Loading, 'title' | 'message' | 'state'>) {
  useSite.setState(({ loading }) => ({ loading: { ...loading, ...failure } }))
  setTitle(failure.title)
}
