import type { OpenedConfig } from '../config.api.ts'
import { textOf } from '../config.api.ts'

/** What is being edited: on which version, what that said, and what it has become. */
export interface Draft {
  version: number
  before: string
  text: string
}

export const draftOf = ({ version, config }: Pick<OpenedConfig, 'version' | 'config'>): Draft => {
  const text = textOf(config)
  return { version, before: text, text }
}

const nameOf = (userId: string) => `config_draft:${userId}`

/** Kept while the page is left for the identity check and no longer: it may hold secrets. */
export function keepDraft(userId: string, draft: Draft) {
  try {
    sessionStorage.setItem(nameOf(userId), JSON.stringify(draft))
  } catch {}
}

export function keptDraft(userId: string): Draft | undefined {
  try {
    const kept = sessionStorage.getItem(nameOf(userId))
    return kept === null ? undefined : (JSON.parse(kept) as Draft)
  } catch {
    return undefined
  }
}

export function forgetDraft(userId: string) {
  try {
    sessionStorage.removeItem(nameOf(userId))
  } catch {}
}
