import { createHash, createHmac, randomBytes } from 'node:crypto'
import { sessionOf, type TestSite } from '../../apps/server/test/test-app.ts'
import type { Harness, User } from '../harness/harness.ts'

/** The cache keys of a session and of its account. */
export const sessionKey = (site: TestSite, user: User) => `{${site.id}:${user.id}}:s2:${sessionOf(user)}`
export const userKey = (site: TestSite, user: User) => `{${site.id}:${user.id}}:u2`

/** The same in version 0.1.0, which trusted the entries. */
export const formerSessionKey = (site: TestSite, user: User) => sessionKey(site, user).replace(':s2:', ':s:')
export const formerUserKey = (site: TestSite, user: User) => userKey(site, user).replace(/2$/, '')

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('base64')

/** A session as the product keeps it, with a secret of the attacker's own, with a step-up a moment ago. */
export function sessionState(user: User, secret: string): object {
  const now = Date.now()
  const times = { createdAt: now - 60_000, lastAccess: now, left: 86_400_000, maxCacheMs: 86_400_000 }
  const id = sessionOf(user)
  return { id, secretHash: hashOf(secret), formerHash: null, twoFactor: true, ended: false, ...times }
}

/** An account as the product keeps it, with every right. */
export const userState = (user: User): object => ({
  id: user.id,
  status: 'active',
  avatar: false,
  avatarTime: null,
  ...{ nickname: null, wechatNickname: null, wechatOpenId: null, mobilePrefix: null, mobile: null },
  ...{ username: null, email: null, password: false, lastAccess: null, preference: {}, agreements: null },
  permission: { MERCHANT: ['READ', 'WRITE', 'ADMIN'] },
  ...{ closing: null, recovery: null, maxCacheMs: null },
})

const inForce = (state: object) => {
  const now = Date.now()
  return JSON.stringify({ from: now, until: now + 30_000, state })
}

/** Every way to write a state down that comes to mind without a key; `genuine` is a text that the product wrote. */
export function forgeriesOf(name: string, state: object, genuine: string): string[] {
  const body = inForce(state)
  const [keyId = '1', mac = ''] = genuine.split('.')
  const guessed = (key: Buffer | string) => createHmac('sha256', key).update(`${name}\n${body}`).digest('base64url')
  return [
    JSON.stringify(state),
    body,
    `${keyId}.${mac}.${body}`,
    `${keyId}..${body}`,
    `${keyId}.${'A'.repeat(43)}.${body}`,
    `${keyId}.${guessed('')}.${body}`,
    `${keyId}.${guessed('cache')}.${body}`,
    `${keyId}.${guessed(randomBytes(32))}.${body}`,
    `${keyId}.${createHash('sha256').update(`${name}\n${body}`).digest('base64url')}.${body}`,
    `${genuine}${body}`,
    genuine.replace(/"state":\{.*\}/, `"state":${JSON.stringify(state)}`),
  ]
}

/** The names of all keys there are, of every node. */
export async function allKeys({ deps }: Pick<Harness, 'deps'>): Promise<string[]> {
  const nodes = 'nodes' in deps.cache ? deps.cache.nodes('master') : [deps.cache]
  const found: string[] = []
  for (const node of nodes)
    for await (const keys of node.scanStream({ count: 500 }) as AsyncIterable<string[]>) found.push(...keys)
  return found
}

/** Deletes what has this in its name; the keys of one user, site or address. */
export async function deleteKeys(t: Pick<Harness, 'deps'>, part: string): Promise<number> {
  const keys = (await allKeys(t)).filter((key) => key.includes(part))
  for (const key of keys) await t.deps.cache.del(key)
  return keys.length
}
