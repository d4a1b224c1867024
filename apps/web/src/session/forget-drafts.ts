const draft = /^(?:config|feedback)_draft:([^:]*)/

/** What somebody was writing in this tab goes, but for what the one who is here wrote: it holds secrets and private words. */
export function forgetDrafts(exceptOf?: string) {
  try {
    for (const name of Object.keys(sessionStorage)) {
      const owner = draft.exec(name)?.[1]
      if (owner !== undefined && owner !== exceptOf) sessionStorage.removeItem(name)
    }
  } catch {
    // A browser that keeps nothing has nothing to forget.
  }
}
