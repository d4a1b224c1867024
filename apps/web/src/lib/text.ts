import { useSite } from '../features/site/site.store.ts'
import { type Text, zhCN } from '../text/zh-CN.ts'
import { useDevice } from './device.ts'
import { languageOf } from './device-rules.ts'

const catalogues: Record<string, Text> = { 'zh-CN': zhCN }

/** The wanted language if the site offers it and there is a catalogue, else the site's first that has one, else Chinese. */
export function shownLanguage(offered: string[], wanted: string): string {
  const spoken = offered.filter((language) => language in catalogues)
  return spoken.find((language) => language.toLowerCase() === wanted.toLowerCase()) ?? spoken[0] ?? 'zh-CN'
}

export function useText(): Text {
  const offered = useSite((site) => site.languages)
  const wanted = useDevice(languageOf)
  return catalogues[shownLanguage(offered, wanted)] ?? zhCN
}
