import type { SiteMeta } from '@hufu/contract/site'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useUnread } from '../../../frame/unread.ts'
import { useDevice } from '../../../lib/device/device.ts'
import { useLast } from '../../../lib/use-last.ts'
import { useUser } from '../../../session/profile.api.ts'
import { devicesQuery, pageSizes } from '../../devices/devices.api.ts'
import { previewQuery } from '../config.api.ts'
import { useConfigText } from '../config.text.ts'
import { parseConfig } from '../editor/config-parse.ts'
import type { PreviewView } from './config-preview-sizes.ts'
import type { PreviewWish } from './preview-messages.ts'

export interface ConfigPreviewing {
  /** The newest that could be shown, while the text can't. */
  meta: SiteMeta | undefined
  /** The text as it stands could not be saved. */
  faulty: boolean
  trouble: string | undefined
  tryAgain: () => void
}

/** The meta that a text would give, fetched while the preview is visible. */
export function useConfigPreview(text: string, seen: boolean): ConfigPreviewing {
  const words = useConfigText()
  const parsed = useMemo(() => parseConfig(text, words), [text, words])
  const config = 'config' in parsed ? parsed.config : undefined
  const { data, error, refetch } = useQuery({ ...previewQuery(config), enabled: seen && config !== undefined })
  const meta = useLast(data ?? undefined)
  return {
    meta,
    faulty: config === undefined || data === null,
    trouble: error?.message,
    tryAgain: () => void refetch(),
  }
}

/** A stable object: a new one would render again. */
export function usePreviewWish(meta: SiteMeta | undefined, { path, dark }: PreviewView): PreviewWish | undefined {
  const { user } = useUser()
  const { feedback, merchant } = useUnread()
  const chosen = useDevice((device) => device.preference)
  const ofUser = devicesQuery(user?.id ?? '', { top: pageSizes[0], skip: 0 })
  const { data: devices } = useQuery({ ...ofUser, staleTime: 30_000, enabled: user !== undefined && path === '/user' })
  return useMemo(() => {
    if (!user || !meta) return undefined
    const unread = feedback === undefined || merchant === undefined ? undefined : { user: feedback, merchant }
    return { path, meta, user, unread, devices: devices?.count, preference: { ...chosen, dark } }
  }, [path, dark, meta, user, feedback, merchant, devices?.count, chosen])
}
