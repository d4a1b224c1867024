import { expect, test } from 'vitest'
import { withOutcome } from '../../http/navigation.ts'
import type { Site } from './sites.ts'
import { allowedSource, withAnswer } from './traffic-source.ts'

test('an answer takes the place of a former one, in whatever spelling, and the rest stays letter by letter', () => {
  const source = '/user?a=%2F&%61uthorize=old&&state&b=+#x?y#z'
  expect(withAnswer(source, { authorize: 'n&w', state: '1' })).toBe('/user?a=%2F&b=+&authorize=n%26w&state=1#x?y#z')
  expect(withAnswer('https://shop.example/', { authorize: '1' })).toBe('https://shop.example/?authorize=1')
})

test('the outcome is passed once, before everything behind the first #', () => {
  expect(withOutcome('/login', 'back')).toBe('/login?wechat=back')
  expect(withOutcome('/user?wechat=done&a=1##', 'WECHAT_OFF')).toBe('/user?a=1&wechat=WECHAT_OFF##')
})

test('D194 signing in never leads to the scheme of an app, though a client returns there', () => {
  const returns = ['com.example.app:/cb', 'com.example.app://cb', 'http://127.0.0.1/cb']
  const clients = [{ id: 'app', name: '客户端', kind: 'native', firstParty: true, returns }]
  const site = { origin: 'https://id.example.com', config: { clients } } as Site
  expect(returns.map((source) => allowedSource(site, source))).toEqual([undefined, undefined, 'http://127.0.0.1/cb'])
})

test('D284 an address that clients share is no place for a ticket, also where its origin is a source', () => {
  const of = (id: string, returns: string[]) => ({ id, name: id, kind: 'web', firstParty: true, returns })
  const [own, shared] = ['https://shop.example.com/own', 'https://shop.example.com/cb']
  const clients = [of('one', [own, shared]), of('two', [shared])]
  const config = { clients, sources: ['https://shop.example.com'] }
  const site = { origin: 'https://id.example.com', config } as Site
  expect([own, shared].map((source) => allowedSource(site, source))).toEqual([own, undefined])
})
