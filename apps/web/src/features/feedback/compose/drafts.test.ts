// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest'
import { acknowledge, draftName, keyOf, readDraft, savePictures, saveText } from './drafts.ts'

const name = draftName('u', 'user', undefined)
const said = (message: string, ...pictures: string[]) => ({ message, pictures })
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
  const key = keyOf(name, said('甲'))
  expect(key).toMatch(/^[\w-]{8,64}$/)
  expect(keyOf(name, said('甲'))).toBe(key)
  expect(keyOf(name, said('乙'))).not.toBe(key)
  const again = keyOf(name, said('甲'))
  acknowledge(name, said('甲'))
  expect(readDraft(name)).toEqual({ text: '', pictures: [] })
  expect(keyOf(name, said('甲'))).not.toBe(again)
})
test('what was written while a message was on its way stays', () => {
  saveText(name, '甲')
  keyOf(name, said('甲'))
  saveText(name, '甲，还有乙')
  acknowledge(name, said('甲'))
  expect(readDraft(name).text).toBe('甲，还有乙')
})
test('D044 with other pictures it is another message', () => {
  saveText(name, '甲')
  const key = keyOf(name, said('甲', 'p', 'q'))
  expect(keyOf(name, said('甲', 'p', 'q'))).toBe(key)
  expect(keyOf(name, said('甲', 'q', 'p'))).not.toBe(key)
  expect(keyOf(name, said('甲'))).not.toBe(key)
})
test('pictures outlive a reload, and those added while a message was on its way stay', () => {
  const [p, q] = [
    { id: 'p', width: 4, height: 3 },
    { id: 'q', width: 1, height: 1 },
  ] as const
  savePictures(name, [p])
  expect(readDraft(name)).toEqual({ text: '', pictures: [p] })
  savePictures(name, [p, q])
  acknowledge(name, said('', 'p'))
  expect(readDraft(name)).toEqual({ text: '', pictures: [q] })
})
test('a draft that an older page left is read', () => {
  sessionStorage.setItem(name, JSON.stringify({ text: '甲', tried: { message: '甲', key: '12345678' } }))
  expect(readDraft(name).pictures).toEqual([])
  expect(keyOf(name, said('甲'))).toBe('12345678')
})
test('a value that another program put there is no draft', () => {
  sessionStorage.setItem(name, 'not JSON')
  expect(readDraft(name).text).toBe('')
})
