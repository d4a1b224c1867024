import { expect, test } from 'vitest'
import { cleanNickname } from './account-rules.ts'

test('a letter and its accent become one, also where something invisible stood between them', () => {
  expect(cleanNickname('Zoe\u0308')).toBe('Zoë')
  expect(cleanNickname('Zoe\u200d\u0308')).toBe('Zoë')
})

test('nothing invisible and no half of a character is left', () => {
  expect(cleanNickname(' \u202e林\ud800小\u0000满\t')).toBe('林小满')
  expect(cleanNickname('\u200b\ud800')).toBeUndefined()
})
