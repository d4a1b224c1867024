/** How many rows a page of a back-office table has. */
export const pageSize = 10

/** Which rows a page, counted from 1, asks for. */
export const slice = (page: number) => ({ top: pageSize, skip: (page - 1) * pageSize })

export const pagesOf = (count: number) => Math.max(1, Math.ceil(count / pageSize))

/** The numbers to choose from, first and last among them; a gap stands for those between. */
export function pageNumbers(page: number, pages: number): (number | 'gap')[] {
  const near = page <= 2 ? [1, 2, 3] : [page - 1, page, page + 1]
  const wanted = [...new Set([1, ...near, pages])].filter((each) => each >= 1 && each <= pages)
  return wanted.flatMap((each, at) => {
    const before = wanted[at - 1] ?? each - 1
    if (each - before === 2) return [each - 1, each]
    return each - before > 2 ? ['gap' as const, each] : [each]
  })
}
