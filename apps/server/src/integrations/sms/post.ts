import { neverConnected } from '../network-error.ts'
import { type Outcome, refused, unknown, unreachable } from '../outcome.ts'
import { readError, refuseUrl, requestPublic } from '../public-request.ts'
import type { SmsAnswer, SmsRequest } from './gateway.ts'

export interface PostOptions {
  timeoutMs: number
  insecureHttp: boolean
  read(answer: SmsAnswer): Outcome
}

/** Makes one request and says for certain only what is certain. Never throws and never repeats it. */
export async function post(request: SmsRequest, options: PostOptions): Promise<Outcome> {
  return request.publicOnly ? await postPublic(request, options) : await postVendor(request, options)
}

async function postVendor({ method = 'POST', url, headers, body }: SmsRequest, options: PostOptions): Promise<Outcome> {
  try {
    const signal = AbortSignal.timeout(options.timeoutMs)
    const response = await fetch(url, { method, headers, body: body ?? null, redirect: 'manual', signal })
    return readAnswer(response.status, await response.text(), options)
  } catch (error) {
    return failure(error)
  }
}

/** A gateway of the merchant's choice answers with no more than this. */
const longestAnswer = 65_536

async function postPublic({ method = 'POST', url, headers, body }: SmsRequest, options: PostOptions): Promise<Outcome> {
  const address = new URL(url)
  const refusal = refuseUrl(address, options)
  if (refusal) return refusal
  try {
    const response = await requestPublic(address, { method, headers, body, ...options })
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) {
      text += chunk
      if (text.length > longestAnswer) return unknown('ANSWER_TOO_LONG')
    }
    return readAnswer(response.statusCode ?? 0, text, options)
  } catch (error) {
    return readError(error as Error)
  }
}

function readAnswer(status: number, text: string, { read }: PostOptions): Outcome {
  return status >= 500 ? unknown(`HTTP_${status}`) : read({ status, json: parse(text) })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function failure(error: unknown): Outcome {
  if (!(error instanceof Error)) return unknown('FAILED')
  if (error.name === 'TimeoutError') return unknown('TIMEOUT')
  const cause: Error & { code?: string } = error.cause instanceof Error ? error.cause : error
  const code = cause.code ?? cause.name
  return neverConnected(cause) ? refused(unreachable, code) : unknown(code)
}
