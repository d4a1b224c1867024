// @vitest-environment happy-dom
import { afterEach, describe, expect, test, vi } from 'vitest'
import { call } from './call.ts'
import { uploading } from './upload.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** As much of the browser's own as the helper uses. */
class FakeRequest {
  static last: FakeRequest
  upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {}
  onload?: () => void
  onloadend?: () => void
  status = 0
  response: unknown = null
  sent: unknown[] = []
  constructor() {
    FakeRequest.last = this
  }
  open = (...words: unknown[]) => this.sent.push(...words)
  setRequestHeader = (...words: unknown[]) => this.sent.push(...words)
  send = (body: unknown) => this.sent.push(body)
  abort = () => this.onloadend?.()
  answer(status: number, response: unknown) {
    Object.assign(this, { status, response })
    this.onload?.()
    this.onloadend?.()
  }
}

describe('upload with progress', () => {
  const stop = new AbortController()
  const parts: number[] = []
  const upload = (signal = stop.signal) => {
    vi.stubGlobal('XMLHttpRequest', FakeRequest)
    parts.length = 0
    return call(
      '/api/user/info/changeAvatar',
      { file: new Blob(['x']) },
      { language: 'zh-CN', send: uploading({ signal, onProgress: (part) => parts.push(part) }) },
    )
  }

  test('S348 S380 sends multipart and tells how far it has come', async () => {
    const answered = upload()
    FakeRequest.last.upload.onprogress?.({ loaded: 1, total: 4 })
    FakeRequest.last.upload.onprogress?.({ loaded: 4, total: 4 })
    FakeRequest.last.answer(200, { data: { avatarTime: 7 } })
    expect(await answered).toEqual({ avatarTime: 7 })
    expect(parts).toEqual([0.25, 1])
    const [method, path, header, language, form] = FakeRequest.last.sent
    expect([method, path, header, language]).toEqual([
      'POST',
      '/api/user/info/changeAvatar',
      'Accept-Language',
      'zh-CN',
    ])
    expect((form as FormData).get('file')).toBeInstanceOf(Blob)
  })
  test('S353 a refusal carries the server’s words', async () => {
    const answered = upload()
    FakeRequest.last.answer(413, { code: 'IMAGE_TOO_LARGE', message: '图片过大' })
    await expect(answered).rejects.toMatchObject({ code: 'IMAGE_TOO_LARGE', message: '图片过大', status: 413 })
  })
  test('S417 a broken connection and a stop are network errors', async () => {
    const answered = upload()
    FakeRequest.last.onloadend?.()
    await expect(answered).rejects.toMatchObject({ code: 'NETWORK_ERROR' })
    const own = new AbortController()
    const stopped = upload(own.signal)
    own.abort()
    await expect(stopped).rejects.toMatchObject({ code: 'NETWORK_ERROR' })
  })
  test('S417 patience of 30 s starts anew whenever something has gone up', async () => {
    vi.useFakeTimers()
    let failure: unknown
    const done = upload().catch((error: unknown) => {
      failure = error
    })
    await vi.advanceTimersByTimeAsync(20_000)
    FakeRequest.last.upload.onprogress?.({ loaded: 1, total: 4 })
    await vi.advanceTimersByTimeAsync(29_999)
    expect(failure).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    await done
    expect(failure).toMatchObject({ code: 'NETWORK_ERROR' })
  })
})
