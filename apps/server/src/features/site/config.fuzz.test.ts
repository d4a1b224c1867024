import { randomBytes } from 'node:crypto'
import { siteMeta } from '@hufu/contract/site'
import fc from 'fast-check'
import { expect } from 'vitest'
import { addresses } from '../../../../../tools/fuzz/addresses.ts'
import { fuzz, quick } from '../../../../../tools/fuzz/fuzz.ts'
import { nastyText } from '../../../../../tools/fuzz/nasty.ts'
import { documentHeaders } from '../../http/headers.ts'
import { AppError } from '../../platform/app-error.ts'
import { isSealed, parseKeys } from '../../platform/crypto/secrets.ts'
import { newSiteId } from '../../platform/ids.ts'
import { unsealSecret } from '../../shared/sites/site-secrets.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { faultsOf, requireFaultless } from './config-check.ts'
import { changedSections } from './config-guard.ts'
import { maskSecrets, sealSecrets, secretSpots } from './config-secrets.ts'
import { publicMeta } from './meta.ts'

const url = fc.oneof(
  fc.constantFrom('https://shop.example.com', 'https://a.example/x.png', '/logo.png'),
  addresses(['shop.example.com']),
)
const origin = fc.constantFrom('https://shop.example.com', 'https://app.example.com', 'http://localhost:3000')
const id = fc.oneof(
  fc.constantFrom('one', 'two', '__proto__', 'a/b'),
  nastyText.map((text) => text.slice(0, 9) || 'x'),
)
const secret = fc.option(
  fc.oneof(fc.constantFrom('********', 'sealed:1:AAAA', 'geheim'), fc.string({ minLength: 1, maxLength: 9 })),
  { nil: undefined },
)
const given = <Shape>(shape: { [Key in keyof Shape]: fc.Arbitrary<Shape[Key]> }) =>
  fc.record(shape).map((value) => JSON.parse(JSON.stringify(value)) as Partial<Shape>)

const good = given({
  name: fc.option(fc.string({ minLength: 1, maxLength: 9 }), { nil: undefined }),
  wechat: fc.option(given({ appId: id, secret }), { nil: undefined }),
  mail: fc.option(given({ host: id, port: fc.constantFrom(25, 465, undefined), password: secret }), { nil: undefined }),
  sms: fc.option(
    fc.record({
      gateways: fc.array(given({ kind: fc.constantFrom('aliyun', 'tencent'), keyId: id, secret, signName: id }), {
        maxLength: 3,
      }),
    }),
    { nil: undefined },
  ),
  clients: fc.option(
    fc.array(given({ id, name: id, secret, sources: fc.array(origin, { maxLength: 2 }) }), { maxLength: 3 }),
    { nil: undefined },
  ),
  methods: fc.option(fc.array(fc.oneof(fc.constantFrom('mobile', 'wechat', 'mobile'), nastyText), { maxLength: 3 }), {
    nil: undefined,
  }),
  regions: fc.option(fc.array(fc.constantFrom('CN', 'hk', 'XX', '__proto__'), { maxLength: 3 }), { nil: undefined }),
  extra: fc.jsonValue({ maxDepth: 2 }),
})
const parts = fc.constantFrom(
  'name',
  'site',
  'support',
  'bg',
  'theme',
  'wechat',
  'mail',
  'sms',
  'clients',
  'sources',
  'files',
  'limits',
  'notices',
  'agreements',
  'regions',
  '__proto__',
)
const spoiled = fc
  .tuple(good, fc.dictionary(parts, fc.oneof(url, fc.jsonValue({ maxDepth: 3 })), { maxKeys: 3 }))
  .map(([config, more]) => ({ ...config, ...more }))
const configs = fc.oneof(good, spoiled, fc.jsonValue({ maxDepth: 4 }))

const at = (data: unknown, path: (string | number)[]): unknown =>
  path.reduce<unknown>((here, step) => (here as Record<string, unknown>)[step], data)

fuzz('config', 'faults of a config are reported, each at an existing position', configs, (config) => {
  const faults = quick(JSON.stringify(config).length, () => faultsOf(config))
  for (const { path, message } of faults) {
    expect(message).not.toBe('')
    if (path.length > 0) expect(at(config, path.slice(0, -1))).toBeTypeOf('object')
  }
  // What is kept goes into logs and jobs as JSON, which has no halves of characters there.
  if (faults.length === 0) expect(JSON.stringify(config).replaceAll('\\\\', '')).not.toMatch(/\\ud[89a-f]/)
  if (faults.length > 0) expect(() => requireFaultless(config)).toThrow(AppError)
})

const keys = parseKeys(`1:${randomBytes(32).toString('base64')}`)
const siteId = newSiteId()
/** Configs that may be saved. */
const savable = fc.oneof(good, spoiled).filter((config) => faultsOf(config).length === 0)

fuzz(
  'config-good',
  'a config that may be saved gives a whole public meta and a policy of one line',
  savable,
  (config) => {
    const checked = requireFaultless(config)
    expect(siteMeta.safeParse(publicMeta(checked)).error).toBeUndefined()
    const site = { origin: 'https://id.example.com', config: checked } as Site
    for (const value of Object.values(documentHeaders(site))) expect(value).toMatch(/^[ -~]+$/)
    const policy = documentHeaders(site)['content-security-policy'] ?? ''
    expect(policy.split('; ').filter((part) => part.startsWith('script-src'))).toEqual(["script-src 'self'"])
    expect(policy.split('; ')).toHaveLength(11)
  },
)

fuzz('config-good', 'no secret is stored or shown in the clear, and each opens as it was typed', savable, (config) => {
  const typed = requireFaultless(config)
  const sealed = sealSecrets(keys, siteId, typed, {})
  const originals = secretSpots(typed)
  for (const [index, { holder, key, path }] of secretSpots(sealed).entries()) {
    const value = holder[key]
    const original = originals[index]?.holder[key]
    if (original === undefined || original === '********') expect(value).toBeUndefined()
    else {
      expect(isSealed(value)).toBe(true)
      expect(unsealSecret(keys, siteId, path, String(value))).toBe(original)
    }
  }
  for (const { holder, key } of secretSpots(maskSecrets(sealed))) expect([undefined, '********']).toContain(holder[key])
})

fuzz(
  'config-good',
  'a config that comes back masked keeps every secret, and that changes nothing',
  savable,
  (config) => {
    const sealed = sealSecrets(keys, siteId, requireFaultless(config), {})
    const again = sealSecrets(keys, siteId, maskSecrets(sealed), sealed)
    expect(again).toEqual(sealed)
    expect(changedSections(sealed, again)).toEqual([])
    // Masks that belong to nothing before keep nothing.
    for (const { holder, key } of secretSpots(sealSecrets(keys, siteId, maskSecrets(sealed), {})))
      expect(holder[key]).toBeUndefined()
  },
)
