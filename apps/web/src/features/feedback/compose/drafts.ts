import type { FeedbackPicture } from '@hufu/contract/feedback'

interface Draft {
  text: string
  /** Uploaded, but in no message yet. Kept because phones may reload the page after the camera was open. */
  pictures: FeedbackPicture[]
  /** What was last tried to send and under which key, until the server has acknowledged it. */
  tried?: Tried
}

/** What a message holds: its words and the ids of its pictures. */
export interface Said {
  message: string
  pictures: string[]
}

/** Written by an older page it says nothing of pictures. */
type Tried = Partial<Said> & { key: string }

const nothing: Draft = { text: '', pictures: [] }

/** What is being written, by whom, on which side and in which conversation; gone with the tab. */
export const draftName = (userId: string, side: string, id: string | undefined) =>
  `feedback_draft:${userId}:${side}:${id ?? 'new'}`

export function readDraft(name: string): Draft {
  try {
    return { ...nothing, ...(JSON.parse(sessionStorage.getItem(name) ?? '{}') as Partial<Draft>) }
  } catch {
    return nothing
  }
}

/** Without storage only a reload loses the draft. */
function writeDraft(name: string, draft: Draft) {
  try {
    if (draft.text || draft.pictures.length > 0 || draft.tried) sessionStorage.setItem(name, JSON.stringify(draft))
    else sessionStorage.removeItem(name)
  } catch {}
}

export const saveText = (name: string, text: string) => writeDraft(name, { ...readDraft(name), text })

export const savePictures = (name: string, pictures: FeedbackPicture[]) =>
  writeDraft(name, { ...readDraft(name), pictures })

/** The server has it. What was written or chosen meanwhile is a next message. */
export function acknowledge(name: string, { message, pictures: sent }: Said) {
  const { text, pictures } = readDraft(name)
  const rest = pictures.filter(({ id }) => !sent.includes(id))
  writeDraft(name, { text: text.trim() === message ? '' : text, pictures: rest })
}

/** Insecure pages have no randomUUID. */
export const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

const isSame = (tried: Tried, { message, pictures }: Said) =>
  tried.message === message && (tried.pictures ?? []).join() === pictures.join()

/** A retried message has the same key, so that one whose response was lost isn't stored twice (idempotency). */
export function keyOf(name: string, said: Said): string {
  const draft = readDraft(name)
  if (draft.tried && isSame(draft.tried, said)) return draft.tried.key
  const tried = { ...said, key: newKey() }
  writeDraft(name, { ...draft, tried })
  return tried.key
}
