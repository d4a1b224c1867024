import fc from 'fast-check'
import { expect } from 'vitest'
import { addresses } from '../../../../../tools/fuzz/addresses.ts'
import { fuzz, quick } from '../../../../../tools/fuzz/fuzz.ts'
import { longText } from '../../../../../tools/fuzz/nasty.ts'
import { withOutcome } from '../../http/navigation.ts'
import type { Site } from './sites.ts'
import { allowedSource, withAnswer } from './traffic-source.ts'

const origin = 'https://id.example.com'
const others = ['https://shop.example.com', 'https://app.example.com:8443']
const config = { sources: [others[0]], clients: [{ id: 'c', name: 'c', sources: [others[1]] }] }
const site = { origin, config } as Site
const sources = fc.oneof(addresses(['id.example.com', 'shop.example.com', 'app.example.com:8443']), longText)

fuzz(
  'source',
  'a source that is allowed stays on the site or an origin it names, however a browser reads it',
  sources,
  (source) => {
    const allowed = quick(source.length, () => allowedSource(site, source))
    if (allowed === undefined) return
    for (const page of [`${origin}/login`, `${origin}/user/x/y?z`, 'http://id.example.com/']) {
      const url = new URL(allowed, page)
      expect([origin, new URL(page).origin, ...others]).toContain(url.origin)
      expect(url.username + url.password).toBe('')
      if (allowed.startsWith('/')) expect(url.origin).toBe(new URL(page).origin)
    }
    expect(allowed).not.toMatch(/[\s\\]|^\/\//)
  },
)

fuzz('source', 'an allowed source is in the one spelling that is allowed again', sources, (source) => {
  const allowed = allowedSource(site, source)
  if (allowed !== undefined) expect(allowedSource(site, allowed)).toBe(allowed)
})

fuzz('source', 'no source is a call or the sign-in page, also decoded once more', sources, (source) => {
  const allowed = allowedSource(site, source)
  if (!allowed?.startsWith('/')) return
  const { pathname } = new URL(allowed, origin)
  for (const path of [pathname, decodeURIComponent(pathname)]) expect(path).not.toMatch(/^\/+(api|login)([/?#]|$)/i)
})

fuzz('source', 'an answer is added to a source, and nothing else in it changes', sources, (source) => {
  const allowed = allowedSource(site, source)
  if (allowed === undefined) return
  const before = new URL(allowed, origin)
  const after = new URL(withAnswer(allowed, { authorize: 'tic+ket', state: 'st&te' }), origin)
  expect([after.origin, after.pathname, after.hash]).toEqual([before.origin, before.pathname, before.hash])
  expect(after.searchParams.getAll('authorize')).toEqual(['tic+ket'])
  expect(after.searchParams.getAll('state')).toEqual(['st&te'])
  const rest = (url: URL) => [...url.searchParams].filter(([name]) => name !== 'authorize' && name !== 'state')
  expect(rest(after)).toEqual(rest(before))
})

fuzz('source', 'the outcome is passed to the page that it returns to', sources, (source) => {
  const allowed = allowedSource(site, source)
  if (allowed === undefined) return
  const [before, after] = [new URL(allowed, origin), new URL(withOutcome(allowed, 'WECHAT_OFF'), origin)]
  expect([after.origin, after.pathname, after.hash]).toEqual([before.origin, before.pathname, before.hash])
  expect(after.searchParams.getAll('wechat')).toEqual(['WECHAT_OFF'])
})
