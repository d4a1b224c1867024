import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../platform/config/config.ts'
import { sha256 } from '../platform/crypto/hash.ts'
import { formatToken, parseToken, type SessionToken } from '../shared/sessions/session-cookie.ts'

const days = (count: number) => count * 86_400

/** A browser keeps at most one cookie of a name; where a second was injected, none counts. */
function readCookie(request: FastifyRequest, name: string): string | undefined {
  const mark = `${name}=`
  const parts = (request.headers.cookie ?? '').split(';').map((part) => part.trim())
  const found = parts.filter((part) => part.startsWith(mark))
  return found.length === 1 ? found[0]?.slice(mark.length).trim() : undefined
}

/** Fastify appends a set-cookie header instead of replacing the ones before it. */
const addCookie = (reply: FastifyReply, cookie: string) => void reply.header('set-cookie', cookie)

export interface Cookies {
  /** The name of the session cookie. */
  sessionName: string
  /** What signs a browser out. */
  signedOut: readonly string[]
  readToken(request: FastifyRequest): SessionToken | undefined
  setToken(reply: FastifyReply, token: SessionToken): void
  clearToken(reply: FastifyReply): void
  /** The browser mark, set when the browser has none. Only its hash is stored. */
  browserHash(request: FastifyRequest, reply: FastifyReply): Buffer
  /** A cookie of one flow, read by the server alone. */
  read(request: FastifyRequest, name: string): string | undefined
  set(reply: FastifyReply, name: string, value: string, seconds: number): void
}

/** Browsers accept `__Host-` cookies from this very host over an encrypted connection only. */
export function createCookies({ insecureHttp }: Pick<Config, 'insecureHttp'>): Cookies {
  const prefix = insecureHttp ? '' : '__Host-'
  const flags = `Path=/; HttpOnly; SameSite=Lax${insecureHttp ? '' : '; Secure'}`
  const session = `${prefix}hufu`
  const browser = `${prefix}hufu-browser`
  // Readable by the page, and no secret: it only says that a session may exist.
  const mark = `${prefix}hufu-in`
  const markFlags = flags.replace('HttpOnly; ', '')
  const signedOut = [`${session}=; Max-Age=0; ${flags}`, `${mark}=; Max-Age=0; ${markFlags}`]
  return {
    sessionName: session,
    signedOut,
    readToken(request) {
      const text = readCookie(request, session)
      return text === undefined ? undefined : parseToken(text)
    },
    setToken(reply, token) {
      addCookie(reply, `${session}=${formatToken(token)}; Max-Age=${days(180)}; ${flags}`)
      addCookie(reply, `${mark}=1; Max-Age=${days(180)}; ${markFlags}`)
    },
    clearToken(reply) {
      for (const cookie of signedOut) addCookie(reply, cookie)
    },
    browserHash(request, reply) {
      const known = readCookie(request, browser)
      if (known && /^[\w-]{22}$/.test(known)) return sha256(known)
      const fresh = randomBytes(16).toString('base64url')
      addCookie(reply, `${browser}=${fresh}; Max-Age=${days(400)}; ${flags}`)
      return sha256(fresh)
    },
    read: (request, name) => readCookie(request, prefix + name),
    set: (reply, name, value, seconds) => addCookie(reply, `${prefix}${name}=${value}; Max-Age=${seconds}; ${flags}`),
  }
}
