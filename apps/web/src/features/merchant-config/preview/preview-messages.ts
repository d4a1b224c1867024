import type { UserInfo } from '@hufu/contract/profile'
import type { SiteMeta } from '@hufu/contract/site'
import type { Preference } from '../../../lib/device/device-rules.ts'

/** What the configuration asks its preview to show. */
export interface PreviewWish {
  path: '/login' | '/user'
  meta: SiteMeta
  /** Who edits: the user centre is theirs. */
  user: UserInfo
  /** How much is new for them, where it is known. */
  unread: { user: number; merchant: number } | undefined
  /** With how many browsers they are signed in. */
  devices: number | undefined
  preference: Preference
}

/** To the preview; each wish has a number of its own, by which the answer names it. */
export interface ToPreview {
  kind: 'preview-show'
  number: number
  wish: PreviewWish
}

/** From the preview: it listens, or a wish stands drawn. */
export type FromPreview = { kind: 'preview-open' } | { kind: 'preview-drawn'; number: number }
