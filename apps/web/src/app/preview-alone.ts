/** A Storage that stores nothing. */
const forgetful: Storage = {
  length: 0,
  key: () => null,
  getItem: () => null,
  setItem: () => undefined,
  removeItem: () => undefined,
  clear: () => undefined,
}

/** An event stream without events. */
class Silence extends EventTarget {
  close() {}
}

const replace = (name: string, value: unknown) => Object.defineProperty(window, name, { value, configurable: true })

/** Responses by path; a call without one never settles. */
export type PreviewAnswers = Record<string, unknown>

/**
 * Isolates this document. It shares origin, storage and channels with the page around it and with every other tab: it
 * must not call the server, store anything, take over their subscriptions or steal the focus.
 */
export function standAlone(answers: PreviewAnswers) {
  replace('fetch', (path: string) => {
    if (!(path in answers)) return new Promise(() => undefined)
    return Promise.resolve(new Response(JSON.stringify({ data: answers[path] })))
  })
  replace('localStorage', forgetful)
  replace('sessionStorage', forgetful)
  replace('EventSource', Silence)
  replace('BroadcastChannel', undefined)
  HTMLElement.prototype.focus = () => undefined
  HTMLDialogElement.prototype.showModal = showUnfocused
}

const { showModal } = HTMLDialogElement.prototype

/** showModal focuses the first focusable element. */
function showUnfocused(this: HTMLDialogElement) {
  this.inert = true
  showModal.call(this)
}
