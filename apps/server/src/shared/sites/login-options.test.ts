import { fallbackRegion } from '@hufu/contract/regions'
import { loginMethods, type SiteConfig } from '@hufu/contract/site'
import { expect, test } from 'vitest'
import { loginOptionsOf } from './login-options.ts'

test.each([
  { methods: 'mobile', regions: 86 },
  { methods: null, regions: [null] },
  { methods: {}, regions: {} },
])('a config that was broken by SQL offers what one without these sections does: %j', (config) =>
  expect(loginOptionsOf(config as unknown as SiteConfig)).toEqual({
    methods: [...loginMethods],
    regions: [fallbackRegion],
    prefixes: [fallbackRegion.prefix],
    wechatEnabled: false,
  }),
)
