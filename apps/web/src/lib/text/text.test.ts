// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { shownLanguage } from './text.ts'

test.each([
  [['zh-CN'], 'en-US', 'zh-CN'],
  [['zh-CN'], 'zh-cn', 'zh-CN'],
  [['en-US', 'zh-CN'], 'en-US', 'zh-CN'],
  [['en-US'], 'en-US', 'zh-CN'],
  [[], 'zh-CN', 'zh-CN'],
])('S001 a site that offers %j to a user who wants %s shows %s while Chinese is the only catalogue', (...row) => {
  const [offered, wanted, shown] = row
  expect(shownLanguage(offered, wanted)).toBe(shown)
})
