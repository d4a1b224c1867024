import { expect, test } from 'vitest'
import { refused } from './outcome.ts'

test.each([
  ['550 <lin.yu@qingyu.example>: no such user', '550 <****>: no such user'],
  ['+8613800138000 reached its limit of 10', '+**** reached its limit of 10'],
  ['TemplateParam=%7B%22code%22%3A%22012345%22%7D', 'TemplateParam=%7B%22code%22%3A%****%22%7D'],
])('what a gateway says, %s, is kept without numbers, addresses and codes', (said, kept) => {
  expect(refused('CODE', said)).toEqual({ kind: 'refused', code: 'CODE', message: kept })
})

test('a long complaint is cut', () => {
  expect(refused('CODE', 'a'.repeat(1_000))).toMatchObject({ message: 'a'.repeat(200) })
})
