// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest'
import { acknowledge, draftName, keyOf, readDraft, saveText } from './drafts.ts'

const name = draftName('u', 'user', undefined)
beforeEach(() => sessionStorage.clear())

test('drafts are apart by person, side and conversation', () => {
  saveText(name, '甲')
  expect(readDraft(draftName('u', 'user', 'f')).text).toBe('')
  expect(readDraft(draftName('v', 'user', undefined)).text).toBe('')
  expect(readDraft(draftName('u', 'merchant', undefined)).text).toBe('')
  expect(readDraft(name).text).toBe('甲')
})
test('D044 the same message keeps its key until it is acknowledged, another one has another', () => {
  saveText(name, '甲 ')
  const key = keyOf(name, '甲')
  expect(key).toMatch(/^[\w-]{8,64}$/)
  expect(keyOf(name, '甲')).toBe(key)
  expect(keyOf(name, '乙')).not.toBe(key)
  const again = keyOf(name, '甲')
  acknowledge(name, '甲')
  expect(readDraft(name)).toEqual({ text: '' })
  expect(keyOf(name, '甲')).not.toBe(again)
})
test('what was written while a message was on its way stays', () => {
  saveText(name, '甲')
  keyOf(name, '甲')
  saveText(name, '甲，还有乙')
  acknowledge(name, '甲')
  expect(readDraft(name).text).toBe('甲，还有乙')
})
test('what somebody else put there is no draft', () => {
  sessionStorage.setItem(name, 'not JSON')
  expect(readDraft(name).text).toBe('')
})
