import { type Answer, patience, type Request } from './call.ts'

export interface Upload {
  /** How much has gone up, from 0 to 1. */
  onProgress: (part: number) => void
  /** Calls it off. */
  signal: AbortSignal
}

/** Sends a file: fetch can't tell how far it has come. Patience starts anew whenever something has gone up. */
export const uploading =
  ({ onProgress, signal }: Upload) =>
  (path: string, { headers, body }: Request) => {
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    let timer = setTimeout(abort, patience)
    return new Promise<Answer | undefined>((resolve) => {
      request.open('POST', path)
      request.responseType = 'json'
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
      request.upload.onprogress = ({ loaded, total }) => {
        clearTimeout(timer)
        timer = setTimeout(abort, patience)
        onProgress(total > 0 ? loaded / total : 0)
      }
      request.onload = () => {
        const { status, response } = request
        resolve({ ok: status >= 200 && status < 300, status, body: response })
      }
      // Also after an error, a stop and an answer that came already.
      request.onloadend = () => {
        clearTimeout(timer)
        resolve(undefined)
      }
      signal.addEventListener('abort', abort)
      request.send(body)
    })
  }
