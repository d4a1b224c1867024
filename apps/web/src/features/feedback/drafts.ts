interface Draft {
  text: string
  /** What was last tried to send and under which key, until the server has acknowledged it. */
  tried?: { message: string; key: string }
}

const nothing: Draft = { text: '' }

/** What is being written, by whom, on which side and in which conversation; gone with the tab. */
export const draftName = (userId: string, side: string, id: string | undefined) =>
  `feedback_draft:${userId}:${side}:${id ?? 'new'}`

export function readDraft(name: string): Draft {
  try {
    return { ...nothing, ...(JSON.parse(sessionStorage.getItem(name) ?? '{}') as Draft) }
  } catch {
    return nothing
  }
}

/** A browser that keeps nothing loses a draft on reload, no more. */
function writeDraft(name: string, draft: Draft) {
  try {
    if (draft.text || draft.tried) sessionStorage.setItem(name, JSON.stringify(draft))
    else sessionStorage.removeItem(name)
  } catch {}
}

export const saveText = (name: string, text: string) => writeDraft(name, { ...readDraft(name), text })

/** The server has it. What was written meanwhile is a next message. */
export function acknowledge(name: string, message: string) {
  const { text } = readDraft(name)
  writeDraft(name, text.trim() === message ? nothing : { text })
}

/** Insecure pages have no randomUUID. */
const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** The same message tried again has the same key, so that one whose answer was lost isn't there twice. */
export function keyOf(name: string, message: string): string {
  const draft = readDraft(name)
  if (draft.tried?.message === message) return draft.tried.key
  const tried = { message, key: newKey() }
  writeDraft(name, { ...draft, tried })
  return tried.key
}
