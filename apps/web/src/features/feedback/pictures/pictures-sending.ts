import type { FeedbackPicture } from '@hufu/contract/feedback'
import { picturesMost } from '@hufu/contract/feedback-rules'
import { pictureRules } from '@hufu/contract/picture-rules'
import { CallError, networkError } from '../../../lib/call/call.ts'
import type { Unfit } from './pictures-file.ts'
import { keepLocal } from './pictures-local.ts'
import { changeSlot, newSlot, type Pictures, setSlots, slotAt, slotsOf } from './pictures-slots.ts'

/** Some browsers on phones don't know the type of a file: then decoding decides. */
const isAllowed = ({ type }: Blob) => !type || pictureRules.types.some((each) => each === type)

/** Adds as many as allowed; each is uploaded at once. */
export function addFiles(pictures: Pictures, files: Blob[]) {
  const { store, text } = pictures
  const allowed = files.filter(isAllowed)
  const room = picturesMost - slotsOf(pictures).length
  const taken = allowed.slice(0, room).map((chosen) => newSlot({ chosen, part: 0 }))
  const wrong = allowed.length < files.length ? text.wrongType : undefined
  store.setState({ refusal: allowed.length > room ? text.tooMany : wrong })
  setSlots(pictures, [...slotsOf(pictures), ...taken])
  for (const { key } of taken) start(pictures, key)
}

function start(pictures: Pictures, key: number) {
  const stop = new AbortController()
  pictures.works.set(key, { stop, done: work(pictures, key, stop.signal) })
}

async function work(pictures: Pictures, key: number, signal: AbortSignal): Promise<boolean> {
  try {
    const file = slotAt(pictures, key)?.fitted ?? (await fit(pictures, key))
    if (signal.aborted) return true
    if (typeof file === 'string') return refuse(pictures, key, file)
    if (!slotAt(pictures, key)?.fitted) changeSlot(pictures, key, { fitted: file, address: URL.createObjectURL(file) })
    const onProgress = (part: number) => changeSlot(pictures, key, { part })
    changeSlot(pictures, key, {
      picture: await inTurn(pictures, () => pictures.handOver(file, { signal, onProgress })),
    })
    return true
  } catch (failure) {
    changeSlot(pictures, key, { error: (failure as Error).message })
    return signal.aborted
  }
}

/** One after the other: the server processes one picture at a time and limits the queue. */
function inTurn<Result>(pictures: Pictures, handOver: () => Promise<Result>): Promise<Result> {
  const handed = pictures.handing.then(() => patiently(handOver))
  pictures.handing = handed.catch(() => undefined)
  return handed
}

/** A busy response is retried a few times. */
async function patiently<Result>(handOver: () => Promise<Result>, waits = [1_000, 2_000, 4_000]): Promise<Result> {
  try {
    return await handOver()
  } catch (failure) {
    const [wait, ...later] = waits
    if (wait === undefined || !(failure instanceof CallError) || failure.code !== 'SERVICE_BUSY') throw failure
    await new Promise((resolve) => setTimeout(resolve, wait))
    return await patiently(handOver, later)
  }
}

/** What it takes to draw pictures smaller is loaded with the first one. */
const loadFitting = () =>
  import('./pictures-file.ts').catch(() => {
    throw new Error(networkError.message)
  })

function fit(pictures: Pictures, key: number): Promise<Blob | Unfit> {
  const fitted = pictures.fitting.then(async () => {
    const { fitPicture } = await loadFitting()
    const chosen = slotAt(pictures, key)?.chosen
    return chosen ? await fitPicture(chosen) : 'unreadable'
  })
  pictures.fitting = fitted.catch(() => undefined)
  return fitted
}

function refuse(pictures: Pictures, key: number, why: Unfit): boolean {
  removePicture(pictures, key)
  pictures.store.setState({ refusal: pictures.text[why] })
  return false
}

export function removePicture(pictures: Pictures, key: number) {
  const gone = slotAt(pictures, key)
  pictures.works.get(key)?.stop.abort()
  if (gone?.address) URL.revokeObjectURL(gone.address)
  pictures.store.setState({ refusal: undefined })
  setSlots(
    pictures,
    slotsOf(pictures).filter((slot) => slot !== gone),
  )
}

export function tryAgain(pictures: Pictures, key: number) {
  changeSlot(pictures, key, { error: undefined, part: 0 })
  start(pictures, key)
}

/** Retries failed uploads whose file is still here. */
export function tryFailedAgain(pictures: Pictures) {
  for (const { key, error, chosen } of slotsOf(pictures)) if (error && chosen) tryAgain(pictures, key)
}

/** Neither the server nor this page has it any more. */
export const loseSlot = (pictures: Pictures, key: number) =>
  changeSlot(pictures, key, { picture: undefined, error: pictures.text.gone })

/** The server has lost them: those whose file is still here are uploaded again. */
export function handOverAgain(pictures: Pictures, keys: number[]) {
  for (const { key, fitted } of slotsOf(pictures).filter((slot) => keys.includes(slot.key))) {
    if (!fitted) loseSlot(pictures, key)
    else {
      changeSlot(pictures, key, { picture: undefined })
      tryAgain(pictures, key)
    }
  }
}

/** Resolves when all remaining pictures are uploaded; rejects with a message when one can't be. */
export async function whenThere(pictures: Pictures, keys: number[]): Promise<FeedbackPicture[]> {
  const went = await Promise.all(keys.map((key) => pictures.works.get(key)?.done))
  const slots = slotsOf(pictures).filter((slot) => keys.includes(slot.key))
  const there = slots.flatMap(({ picture }) => picture ?? [])
  if (went.includes(false) || there.length < slots.length) throw new Error(pictures.text.notAll)
  return there
}

/** The message was sent. The local pictures are shown until the server's are loaded. */
export function taken(pictures: Pictures, ids: string[]) {
  const isTaken = (id: string | undefined) => id !== undefined && ids.includes(id)
  for (const { picture, address } of slotsOf(pictures))
    if (picture && address && isTaken(picture.id)) keepLocal(picture.id, address)
  pictures.store.setState({ refusal: undefined })
  setSlots(
    pictures,
    slotsOf(pictures).filter(({ picture }) => !isTaken(picture?.id)),
  )
}

/** The pictures are no longer shown: uploads in flight are aborted, what the server has stays with the draft. */
export function leavePictures(pictures: Pictures) {
  for (const { stop } of pictures.works.values()) stop.abort()
  for (const { address } of slotsOf(pictures)) if (address) URL.revokeObjectURL(address)
}
