import { jsonFault } from '../../../lib/json/json-fault.ts'
import type { EditorFault } from '../../../ui/json-editor/json-marks.ts'
import type { Config } from '../config.api.ts'

interface Words {
  invalidAt: (reason: string) => string
  notObject: string
}

/** The config that a text says, or where it stops being one. */
export function parseConfig(text: string, words: Words): { config: Config } | { fault: EditorFault } {
  const fault = jsonFault(text)
  if (fault) return { fault: { at: fault.at, message: words.invalidAt(fault.message) } }
  const value = JSON.parse(text) as unknown
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { config: value as Config }
  return { fault: { path: [], message: words.invalidAt(words.notObject) } }
}
