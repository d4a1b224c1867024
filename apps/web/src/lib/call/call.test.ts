// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type CallError, type CallOptions, call, onCallFailure } from './call.ts'

/** The helper knows the contract's paths alone; its own rules hold for any. */
const anyCall = call as unknown as (path: string, payload?: object, options?: CallOptions) => Promise<unknown>

const fetchMock = vi.fn<(path: string, request: RequestInit) => Promise<Response>>()
const answer = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status })
const sent = () => {
  const [path, request] = fetchMock.mock.calls[0] ?? []
  return { path, request, headers: new Headers(request?.headers) }
}

beforeEach(() => {
  fetchMock.mockReset()
  fetchMock.mockImplementation(async () => answer({ data: null }))
  vi.stubGlobal('fetch', fetchMock)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('request', () => {
  test('S347 sends the payload as JSON by POST', async () => {
    await anyCall('/api/login/password', { account: 'lin', password: 'x' })
    expect(sent()).toMatchObject({
      path: '/api/login/password',
      request: { method: 'POST', credentials: 'same-origin' },
    })
    expect(sent().headers.get('Content-Type')).toBe('application/json')
    expect(sent().request?.body).toBe('{"account":"lin","password":"x"}')
  })
  test('S347 sends an empty object when there is no payload', async () => {
    await call('/api/meta')
    expect(sent().request?.body).toBe('{}')
  })
  test('S348 S349 sends multipart when any value is a file, other objects as JSON text', async () => {
    const file = new File(['picture'], 'me.png', { type: 'image/png' })
    const payload = { file, crop: { x: 1, y: [2, 3] }, tags: ['a'], name: '林', size: 7, exact: true, left: undefined }
    await anyCall('/api/user/info/changeAvatar', payload)
    const form = sent().request?.body as FormData
    expect(form).toBeInstanceOf(FormData)
    expect(sent().headers.has('Content-Type')).toBe(false)
    expect((form.get('file') as File).name).toBe('me.png')
    const texts = ['crop', 'tags', 'name', 'size', 'exact', 'left'].map((name) => form.get(name))
    expect(texts).toEqual(['{"x":1,"y":[2,3]}', '["a"]', '林', '7', 'true', null])
  })
  test('S348 a Blob counts as a file', async () => {
    await anyCall('/api/user/info/changeAvatar', { file: new Blob(['x']) })
    expect(sent().request?.body).toBeInstanceOf(FormData)
  })
  test('D344 a call whose answer renews the session outlives its page', async () => {
    await anyCall('/api/user/factor/totp/confirm', { totp: '123456' })
    expect(sent().request?.keepalive).toBe(true)
    fetchMock.mockClear()
    await anyCall('/api/user/info')
    expect(sent().request?.keepalive).toBe(false)
  })
  test('S350 sends Accept-Language when a language is given, and not otherwise', async () => {
    await call('/api/meta', {}, { language: 'zh-CN' })
    expect(sent().headers.get('Accept-Language')).toBe('zh-CN')
    fetchMock.mockClear()
    await call('/api/meta')
    expect(sent().headers.has('Accept-Language')).toBe(false)
  })
  test('S351 sends hufu-timezone when a timezone is given, and not otherwise', async () => {
    await call('/api/meta', {}, { timezone: 'Asia/Shanghai' })
    expect(sent().headers.get('hufu-timezone')).toBe('Asia/Shanghai')
    fetchMock.mockClear()
    await call('/api/meta')
    expect(sent().headers.has('hufu-timezone')).toBe(false)
  })
})

describe('answer', () => {
  test.each([null, 0, '', false, { count: 0, data: [] }])('S352 returns the nested data %j', async (data) => {
    fetchMock.mockResolvedValue(answer({ data }))
    expect(await call('/api/meta')).toEqual(data)
  })
  test('S353 an error with a code throws it with message, details and status', async () => {
    fetchMock.mockResolvedValue(
      answer({ code: 'INPUT_INVALID', message: '输入的内容有误', details: { field: 'name' } }, 400),
    )
    await expect(call('/api/meta')).rejects.toMatchObject({
      name: 'CallError',
      code: 'INPUT_INVALID',
      message: '输入的内容有误',
      details: { field: 'name' },
      status: 400,
    })
  })

  const unusable: [string, () => Promise<Response>][] = [
    ['fetch rejects', () => Promise.reject(new TypeError('Failed to fetch'))],
    ['a bare 503', async () => new Response(null, { status: 503 })],
    ['a proxy page', async () => new Response('<h1>502</h1>', { status: 502 })],
    ['an error without a code', async () => answer({ message: '出错了' }, 500)],
    ['an error whose code is no text', async () => answer({ code: 42, message: '出错了' }, 500)],
    ['an error without a message', async () => answer({ code: 'X' }, 500)],
    ['data with an error status', async () => answer({ data: {} }, 500)],
    ['a success without data', async () => answer({ other: 1 })],
    ['a success that is null', async () => answer(null)],
    ['a success that is no JSON', async () => new Response('ok')],
  ]
  test.each(unusable)('S354 S417 S418 %s is a network error', async (_name, reply) => {
    fetchMock.mockImplementation(reply)
    await expect(call('/api/meta')).rejects.toMatchObject({
      code: 'NETWORK_ERROR',
      message: '网络异常，请稍后再试',
    })
  })
  test('S417 an answer that takes over 30 s is a network error', async () => {
    vi.useFakeTimers()
    fetchMock.mockImplementation((_path, { signal }) => {
      return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    })
    let failure: unknown
    const done = call('/api/meta').catch((error: unknown) => {
      failure = error
    })
    await vi.advanceTimersByTimeAsync(29_999)
    expect(failure).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    await done
    expect(failure).toMatchObject({ code: 'NETWORK_ERROR' })
  })
})

describe('hearing of failures', () => {
  test('a listener hears of every failure, before the caller, until it stops', async () => {
    const heard: string[] = []
    const stop = onCallFailure(({ code }: CallError) => heard.push(code))
    await call('/api/meta')
    expect(heard).toEqual([])
    fetchMock.mockImplementation(async () => answer({ code: 'SESSION_REMOVED', message: '已下线' }, 401))
    await call('/api/meta').catch(() => heard.push('caller'))
    expect(heard).toEqual(['SESSION_REMOVED', 'caller'])
    stop()
    await call('/api/meta').catch(() => undefined)
    expect(heard).toHaveLength(2)
  })
})
