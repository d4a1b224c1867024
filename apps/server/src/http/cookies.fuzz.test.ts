import fc from 'fast-check'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect } from 'vitest'
import { fuzz, quick } from '../../../../tools/fuzz/fuzz.ts'
import { changed, longText, nastyText } from '../../../../tools/fuzz/nasty.ts'
import { newSecret } from '../platform/crypto/hash.ts'
import { newSessionId, newUserId } from '../platform/ids.ts'
import { formatToken, parseToken } from '../shared/sessions/session-cookie.ts'
import { createCookies } from './cookies.ts'

const fresh = () => ({ userId: newUserId(), sessionId: newSessionId(), secret: newSecret() })
const good = fc.constantFrom(fresh(), fresh()).map(formatToken)
const name = fc.constantFrom('hufu', 'hufu', 'hufu-in', 'hufu-browser', 'HUFU', 'xhufu', 'hufu.x', ' hufu', 'hufu ', '')
const pair = fc
  .tuple(name, fc.constantFrom('=', '=', '=', '', '=='), fc.oneof(good, changed(good), nastyText))
  .map((parts) => parts.join(''))
const joint = fc.constantFrom('; ', '; ', ';', ' ; ', ',', ';;', '\t;')
const headers = fc.oneof(
  fc.array(fc.tuple(pair, joint), { maxLength: 5 }).map((parts) => parts.flat().join('')),
  changed(good.map((token) => `a=1; hufu=${token}; b=2`)),
  longText,
)

const cookies = createCookies({ insecureHttp: true })
const requestOf = (cookie: string) => ({ headers: { cookie } }) as unknown as FastifyRequest

/** The values of a cookie by their grammar: pairs between semicolons, a name up to the first equals sign. */
const plain = (header: string, wanted: string) =>
  header
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.slice(0, part.indexOf('=')) === wanted)
    .map((part) => part.slice(part.indexOf('=') + 1).trim())

fuzz(
  'cookies',
  'the one cookie of a name is read as a plain reading reads it; of two none counts',
  headers,
  (header) => {
    const value = quick(header.length, () => cookies.read(requestOf(header), 'hufu'))
    const values = plain(header, 'hufu')
    if (value !== undefined) expect(values).toEqual([value])
    if (values.length !== 1) expect(value).toBeUndefined()
  },
)

fuzz('cookies', 'a session is read only from a token in its one spelling', headers, (header) => {
  const token = quick(header.length, () => cookies.readToken(requestOf(header)))
  if (token === undefined) return
  expect(plain(header, 'hufu')).toEqual([formatToken(token)])
  expect(parseToken(formatToken(token))).toEqual(token)
})

fuzz('token', 'a token is what it was written as, or none', fc.oneof(good, changed(good), longText), (text) => {
  const token = quick(text.length, () => parseToken(text))
  if (token === undefined) return
  expect(formatToken(token)).toBe(text)
  expect(token.secret).toMatch(/^[A-Za-z0-9_-]{43}$/)
})

fuzz('cookies', 'a browser without a mark of its own gets one that is read back', headers, (header) => {
  const set: string[] = []
  const reply = { header: (_: string, cookie: string) => set.push(cookie) } as unknown as FastifyReply
  const hash = cookies.browserHash(requestOf(header), reply)
  const [cookie] = set
  if (cookie === undefined) return
  const [given = ''] = cookie.split(';')
  expect(cookies.browserHash(requestOf(`a=1; ${given}`), reply)).toEqual(hash)
  expect(set).toHaveLength(1)
})
