import type { RecoveryStanding } from '@hufu/contract/recovery'

/** What the server gave for the password, and what it said after the mailed code. */
export interface Progress {
  ticket: string
  /** Masked. */
  email: string
  standing?: RecoveryStanding
}

const storageKey = 'recovery'
/** As long as a ticket lives. */
const life = 10 * 60_000

/** Survives a reload, but not the tab: reading the mail on a phone often reloads the page. */
export function readProgress(): Progress | undefined {
  try {
    const { until, progress } = JSON.parse(sessionStorage.getItem(storageKey) ?? '{}') as Partial<Kept>
    return until !== undefined && until > Date.now() ? progress : undefined
  } catch {
    return undefined
  }
}

interface Kept {
  until: number
  progress: Progress
}

export function keepProgress(progress: Progress | undefined) {
  try {
    if (progress) sessionStorage.setItem(storageKey, JSON.stringify({ until: Date.now() + life, progress }))
    else sessionStorage.removeItem(storageKey)
  } catch {
    // It still holds until the page is closed.
  }
}
