import type { z } from 'zod'
import { readBounded } from './bounded.ts'
import { unknownOutcome, type WechatDeps, type WechatOutcome } from './wechat.ts'

const mostBytes = 1_048_576

export interface WechatRequest {
  path: string
  query: Record<string, string>
  /** Sent as JSON by POST; without it the call is a GET. */
  body?: object
}

/** Makes one call and reports as definite only what is. Never throws and never retries. */
export async function askWechat<Data>(
  deps: WechatDeps,
  request: WechatRequest,
  shape: z.ZodType<Data>,
): Promise<WechatOutcome<Data>> {
  const { apiUrl } = deps.config.wechat
  const timeoutMs = deps.wechatTimeoutMs ?? 5_000
  const key = `wechat/${new URL(apiUrl).host}`
  const outcome = await deps.breaker.run(key, () => ask(apiUrl, request, timeoutMs, shape))
  const settled = isOurs(outcome) ? outcome : unknownOutcome(outcome.code)
  warn(deps, request.path, settled)
  return settled
}

/** The breaker's own refusal has a name where WeChat's has a number: the call was never made. */
const isOurs = <Data>(outcome: WechatOutcome<Data> | { code: string }): outcome is WechatOutcome<Data> =>
  !('code' in outcome && typeof outcome.code === 'string')

async function ask<Data>(
  apiUrl: string,
  { path, query, body }: WechatRequest,
  timeoutMs: number,
  shape: z.ZodType<Data>,
): Promise<WechatOutcome<Data>> {
  try {
    const response = await fetch(`${apiUrl}${path}?${new URLSearchParams(query)}`, {
      ...(body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.status !== 200) {
      await response.body?.cancel()
      return unknownOutcome(`HTTP_${response.status}`)
    }
    const bytes = await readBounded(response, mostBytes)
    return bytes ? read(new TextDecoder().decode(bytes), shape) : unknownOutcome('ANSWER_TOO_LARGE')
  } catch (error) {
    return unknownOutcome(reasonOf(error))
  }
}

function read<Data>(text: string, shape: z.ZodType<Data>): WechatOutcome<Data> {
  const json = parse(text)
  const refusal = refusalIn(json)
  if (refusal) return refusal
  const parsed = shape.safeParse(json)
  return parsed.success ? { kind: 'done', data: parsed.data } : unknownOutcome('UNREADABLE_ANSWER')
}

/** Ids of messages exceed what a number holds exactly: such integers come out as text. */
function parse(text: string): unknown {
  const exact = (_: string, value: unknown, context?: { source?: string }) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) ? context?.source : value
  try {
    return JSON.parse(text, exact)
  } catch {
    return undefined
  }
}

/** -1 is WeChat's code for being busy, which leaves the outcome open. */
function refusalIn(json: unknown): Exclude<WechatOutcome<never>, { kind: 'done' }> | undefined {
  if (typeof json !== 'object' || json === null || !('errcode' in json)) return undefined
  const { errcode, errmsg } = json as { errcode: unknown; errmsg?: unknown }
  if (errcode === 0 || !Number.isInteger(errcode)) return undefined
  if (errcode === -1) return unknownOutcome('SYSTEM_BUSY')
  return { kind: 'refused', code: Number(errcode), message: tidy(typeof errmsg === 'string' ? errmsg : '') }
}

/** Without the request's id at its end, and without anything long enough to be an openid, a code or a token. */
function tidy(message: string): string {
  const [said = ''] = message.slice(0, 500).split(/,? (?:rid|hint):/, 1)
  return said.replace(/[\w-]{20,}/g, '****').slice(0, 200)
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'FAILED'
  if (error.name === 'TimeoutError') return 'TIMEOUT'
  const cause: Error & { code?: string } = error.cause instanceof Error ? error.cause : error
  return cause.code ?? cause.name
}

function warn({ log }: WechatDeps, path: string, outcome: WechatOutcome<unknown>) {
  if (outcome.kind === 'unknown') log.warn({ path, reason: outcome.reason }, 'WeChat did not answer')
  if (outcome.kind === 'refused') log.warn({ path, errcode: outcome.code, message: outcome.message }, 'WeChat refused')
}
