import { create } from 'zustand'
import { useDevice } from '../device/device.ts'
import { languageOf } from '../device/device-rules.ts'

/** Sentences by language; Chinese is always there. A second language is a second file beside every `*.text.zh-CN.ts`. */
type Catalogues<Text> = Record<string, Text> & { 'zh-CN': Text }

/** The languages that have catalogues. */
const translated = ['zh-CN']

/** What the site offers; the site's meta sets it. */
export const useOfferedLanguages = create<{ languages: string[] }>(() => ({ languages: ['zh-CN'] }))

/** The wanted language if the site offers it and there is a catalogue, else the site's first that has one, else Chinese. */
export function shownLanguage(offered: string[], wanted: string): string {
  const spoken = offered.filter((language) => translated.includes(language))
  return spoken.find((language) => language.toLowerCase() === wanted.toLowerCase()) ?? spoken[0] ?? 'zh-CN'
}

/** A hook that returns the sentences in the language of this user and site. */
export const textHook =
  <Text>(catalogues: Catalogues<Text>) =>
  (): Text => {
    const offered = useOfferedLanguages((site) => site.languages)
    const wanted = useDevice(languageOf)
    return catalogues[shownLanguage(offered, wanted)] ?? catalogues['zh-CN']
  }
