const draft = /^(?:config|feedback)_draft:([^:]*)/

/** Removes the drafts of other users from this tab: they hold secrets and private messages. */
export function forgetDrafts(exceptOf?: string) {
  try {
    for (const name of Object.keys(sessionStorage)) {
      const owner = draft.exec(name)?.[1]
      if (owner !== undefined && owner !== exceptOf) sessionStorage.removeItem(name)
    }
  } catch {
    // Without storage there is nothing to remove.
  }
}
