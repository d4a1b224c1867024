import { expect, test } from 'vitest'
import { codeIn, digitsOf } from './code-text.ts'

test.each([
  ['4829161', '482916'],
  ['48a2 9', '4829'],
  ['４８２', '482'],
])('S305 S306 of %s the code keeps %s', (typed, kept) => expect(digitsOf(typed)).toBe(kept))

test.each([
  ['【青屿生活】验证码482916，5分钟内有效', '482916'],
  ['482916', '482916'],
  ['482 916', '482916'],
  ['4-8-2-9-1-6', '482916'],
  ['请勿告知他人。订单20261114001的验证码是 482916。', '482916'],
  ['12345', undefined],
  ['13812345678', undefined],
  ['', undefined],
])('pasting %s gives %s', (text, code) => expect(codeIn(text)).toBe(code))
