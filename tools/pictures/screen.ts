import type { Page } from '@playwright/test'

export interface Screen {
  name: string
  path: string
  signedIn?: boolean
  /** By call, what its answer says differently. */
  answers?: Record<string, object>
  /** What to do before the picture is taken. */
  prepare?: (page: Page) => Promise<unknown>
  /** Opened inside WeChat. */
  inWechat?: boolean
  /** The meta never comes. */
  hold?: boolean
  portraitOnly?: boolean
}
