import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { isIP } from 'node:net'
import { neverConnected } from './network-error.ts'
import { type Outcome, refused, unknown, unreachable } from './outcome.ts'
import { isPublicAddress, NotPublic, publicLookup } from './public-address.ts'

export interface PublicRequest {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string | undefined
  timeoutMs: number
  /** For development and tests: http, and addresses of this machine and its network. */
  insecureHttp: boolean
}

const notPublic = refused('NOT_PUBLIC', 'the address is not public')

/** An address is checked here, a name when it is resolved for the connection. */
export function refuseUrl(
  { protocol, hostname }: URL,
  { insecureHttp }: { insecureHttp: boolean },
): Outcome | undefined {
  if (insecureHttp) return undefined
  if (protocol !== 'https:') return refused('NOT_HTTPS', protocol)
  const address = hostname.replace(/^\[|\]$/g, '')
  return isIP(address) === 0 || isPublicAddress(address) ? undefined : notPublic
}

/** For URLs that a config names: connects to public addresses alone and follows no redirect. */
export function requestPublic(url: URL, options: PublicRequest): Promise<IncomingMessage> {
  const { method, headers, body = '', timeoutMs, insecureHttp } = options
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const request = (url.protocol === 'https:' ? secureRequest : plainRequest)(url, {
    method,
    // A connection of its own: none is shared with one whose name was resolved elsewhere.
    agent: false,
    signal: AbortSignal.timeout(timeoutMs),
    ...(!insecureHttp && { lookup: publicLookup }),
    headers: { 'user-agent': 'hufu', ...headers, ...(body && { 'content-length': String(Buffer.byteLength(body)) }) },
  })
  request.on('error', reject)
  request.on('response', resolve)
  request.end(body)
  return promise
}

/** The outcome of a request that failed before or while its response was read. */
export function readError(error: Error & { code?: string }): Outcome {
  if (error instanceof NotPublic) return notPublic
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return unknown('TIMEOUT')
  return neverConnected(error) ? refused(unreachable, error.code ?? error.name) : unknown(error.code ?? error.name)
}
