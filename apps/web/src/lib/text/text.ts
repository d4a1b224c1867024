import { useSite } from '../../site/site.store.ts'
import { useDevice } from '../device/device.ts'
import { languageOf } from '../device/device-rules.ts'
import { zhCN } from './text.zh-CN.ts'

/** Sentences by language; Chinese is always there. */
type Catalogues<Text> = Record<string, Text> & { 'zh-CN': Text }

const general = { 'zh-CN': zhCN }

/** The wanted language if the site offers it and there is a catalogue, else the site's first that has one, else Chinese. */
export function shownLanguage(offered: string[], wanted: string): string {
  const spoken = offered.filter((language) => language in general)
  return spoken.find((language) => language.toLowerCase() === wanted.toLowerCase()) ?? spoken[0] ?? 'zh-CN'
}

/** A hook that answers the sentences in the language of this person and site. */
export const textHook =
  <Text>(catalogues: Catalogues<Text>) =>
  (): Text => {
    const offered = useSite((site) => site.languages)
    const wanted = useDevice(languageOf)
    return catalogues[shownLanguage(offered, wanted)] ?? catalogues['zh-CN']
  }

export const useText = textHook(general)
