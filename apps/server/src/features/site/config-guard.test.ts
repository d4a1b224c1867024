import type { SiteConfig } from '@hufu/contract/site'
import { expect, test } from 'vitest'
import { appearanceOnly, changedSections } from './config-guard.ts'

const before: SiteConfig = { name: '青屿生活', theme: { primary: '#112233' }, support: 'https://help.example' }

test('D082 appearance alone is appearance; one guarded section beside it is not', () => {
  const looks = { ...before, name: '白鹭', theme: { primary: '#445566' }, icp: '京ICP备1号' }
  expect(appearanceOnly(before, looks)).toBeDefined()
  expect(appearanceOnly(before, { ...looks, support: 'https://evil.example' })).toBeUndefined()
  expect(appearanceOnly(before, { ...looks, privacy: { maskLists: false } })).toBeUndefined()
})

test('D082 a section that is taken away or unknown is a change, and guarded', () => {
  const { support: _, ...without } = before
  expect(changedSections(before, without)).toEqual(['support'])
  expect(appearanceOnly(before, without)).toBeUndefined()
  expect(appearanceOnly(before, { ...before, x_note: 1 })).toBeUndefined()
  expect(appearanceOnly(before, { ...before, constructor: 1 } as SiteConfig)).toBeUndefined()
})

test('D082 the same config in another order is no change', () => {
  expect(changedSections(before, Object.fromEntries(Object.entries(before).toReversed()))).toEqual([])
})
