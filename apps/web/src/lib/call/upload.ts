import { type Answer, patience, type Request } from './call.ts'

export interface Upload {
  /** The uploaded share, from 0 to 1. */
  onProgress: (part: number) => void
  /** Aborts the upload. */
  signal: AbortSignal
}

/** Uploads a file with XMLHttpRequest, because fetch reports no progress. Progress restarts the timeout. */
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
      // Also fires after an error, an abort and a received response.
      request.onloadend = () => {
        clearTimeout(timer)
        resolve(undefined)
      }
      signal.addEventListener('abort', abort)
      request.send(body)
    })
  }
