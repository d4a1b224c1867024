import { expect, test } from 'vitest'
import { pageNumbers, pagesOf, slice } from './data-table-pages.ts'

test('S432 S434 a page has ten rows, asked for by top and skip', () => {
  expect([slice(1), slice(2)]).toEqual([
    { top: 10, skip: 0 },
    { top: 10, skip: 10 },
  ])
})

test.each([
  [0, 1],
  [10, 1],
  [11, 2],
  [48_216, 4822],
])('%i rows are %i pages', (count, pages) => {
  expect(pagesOf(count)).toBe(pages)
})

test.each([
  [1, 1, [1]],
  [1, 3, [1, 2, 3]],
  [1, 4, [1, 2, 3, 4]],
  [1, 4822, [1, 2, 3, 'gap', 4822]],
  [3, 4822, [1, 2, 3, 4, 'gap', 4822]],
  [4, 4822, [1, 2, 3, 4, 5, 'gap', 4822]],
  [50, 4822, [1, 'gap', 49, 50, 51, 'gap', 4822]],
  [4822, 4822, [1, 'gap', 4821, 4822]],
])('S181 on page %i of %i these numbers are offered', (page, pages, numbers) => {
  expect(pageNumbers(page, pages)).toEqual(numbers)
})
