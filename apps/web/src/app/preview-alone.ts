/** What looks like storage and keeps nothing. */
const forgetful: Storage = {
  length: 0,
  key: () => null,
  getItem: () => null,
  setItem: () => undefined,
  removeItem: () => undefined,
  clear: () => undefined,
}

/** A stream from which nothing is ever heard. */
class Silence extends EventTarget {
  close() {}
}

const replace = (name: string, value: unknown) => Object.defineProperty(window, name, { value, configurable: true })

/** By path, what a call would bring; one without an answer is never over. */
export type PreviewAnswers = Record<string, unknown>

/**
 * Cuts this document off. It shares origin, storage and channels with the page around it and with every other tab: it
 * must not ask the server, keep anything, listen in their place or take the focus of who is typing.
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

/** A dialog takes the focus by itself wherever something in it could have it. */
function showUnfocused(this: HTMLDialogElement) {
  this.inert = true
  showModal.call(this)
}
