import type { FeedbackPicture } from '@hufu/contract/feedback'
import { createStore, type StoreApi } from 'zustand'
import type { Upload } from '../../../lib/call/upload.ts'
import { readDraft, savePictures } from '../compose/drafts.ts'
import type { feedbackZhCN } from '../feedback.text.zh-CN.ts'

/** A picture on its way into a message. */
export interface Slot {
  key: number
  /** The chosen file; after a reload it is no longer available. */
  chosen?: Blob
  /** The file to upload, and its object URL. */
  fitted?: Blob
  address?: string
  /** The uploaded share, from 0 to 1. */
  part: number
  /** Once the server has it. */
  picture?: FeedbackPicture | undefined
  error?: string | undefined
}

interface State {
  slots: Slot[]
  /** What was wrong with files that aren't among them. */
  refusal?: string | undefined
}

interface Work {
  stop: AbortController
  /** False when the upload failed, unless it was aborted. */
  done: Promise<boolean>
}

/** The pictures of one message to come, and how they get to the server. */
export interface Pictures {
  /** Where those that the server has are kept over a reload. */
  draft: string
  handOver: (file: Blob, upload: Upload) => Promise<FeedbackPicture>
  text: (typeof feedbackZhCN)['pictures']
  store: StoreApi<State>
  works: Map<number, Work>
  /** Decoding photos takes much memory: one after the other. */
  fitting: Promise<unknown>
  /** The last upload, finished or in flight. */
  handing: Promise<unknown>
}

let lastKey = 0
export const newSlot = (of: Omit<Slot, 'key'>): Slot => ({ key: ++lastKey, ...of })

export function createPictures({ draft, handOver, text }: Pick<Pictures, 'draft' | 'handOver' | 'text'>): Pictures {
  const slots = readDraft(draft).pictures.map((picture) => newSlot({ part: 1, picture }))
  const store = createStore<State>(() => ({ slots }))
  return { draft, handOver, text, store, works: new Map(), fitting: Promise.resolve(), handing: Promise.resolve() }
}

export const slotsOf = ({ store }: Pictures): Slot[] => store.getState().slots
export const slotAt = (pictures: Pictures, key: number) => slotsOf(pictures).find((slot) => slot.key === key)

export function setSlots({ store, draft }: Pictures, slots: Slot[]) {
  store.setState({ slots })
  const there = slots.flatMap(({ picture }) => picture ?? [])
  if (there.length > 0 || readDraft(draft).pictures.length > 0) savePictures(draft, there)
}

export const changeSlot = (pictures: Pictures, key: number, by: Partial<Slot>) =>
  setSlots(
    pictures,
    slotsOf(pictures).map((slot) => (slot.key === key ? { ...slot, ...by } : slot)),
  )
