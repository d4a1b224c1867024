import { describe, expect, test } from 'vitest'
import { cleanMobile, groupMobile, isPlausible, maskMobile } from './mobile-number.ts'

describe('S308 only digits stay', () => {
  test.each([
    ['13812345678', '86', '13812345678'],
    ['138 1234-5678', '86', '13812345678'],
    ['+86 138 1234 5678', '86', '13812345678'],
    ['+8613812345678', '86', '13812345678'],
    ['0086-138-1234-5678', '86', '13812345678'],
    ['8613812345678', '86', '13812345678'],
    ['１３８１２３４５６７８', '86', '13812345678'],
    ['(138)abc１', '86', '1381'],
    ['+852 9123 4567', '852', '91234567'],
    ['8612345', '86', '8612345'],
    ['0912', '886', '0912'],
    ['', '86', ''],
  ])('%s with prefix %s is %s', (text, prefix, digits) => expect(cleanMobile(text, prefix)).toBe(digits))
})

test.each([
  ['13812345678', '138 1234 5678'],
  ['91234567', '9123 4567'],
  ['2025550123', '20 2555 0123'],
  ['123', '123'],
  ['', ''],
])('%s is shown back as %s', (mobile, grouped) => expect(groupMobile(mobile)).toBe(grouped))

test.each([
  ['13812345678', '138****5678'],
  ['91234567', '9****4567'],
])('%s is masked as %s', (mobile, masked) => expect(maskMobile(mobile)).toBe(masked))

test('five digits are worth a try', () => expect([isPlausible('1234'), isPlausible('12345')]).toEqual([false, true]))
