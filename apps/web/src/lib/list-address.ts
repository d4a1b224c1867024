import { useSearchParams } from 'react-router'

/** A day as in a date field, e.g. 2026-11-14, as the moment at which it begins here, some days later. */
export function dayStart(day: string | null, later = 0): number | undefined {
  const [year = 0, month = 0, date = 0] = (/^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? '') ?? []).slice(1).map(Number)
  const begin = new Date(year, month - 1, date)
  // The 30th of February would become a day of March, and the year 50 one of the last century.
  const real = begin.getFullYear() === year && begin.getMonth() === month - 1 && begin.getDate() === date
  return real ? new Date(year, month - 1, date + later).getTime() : undefined
}

/** From 1, whatever stands in the address. */
function pageIn(params: URLSearchParams): number {
  const page = Number(params.get('page') ?? 1)
  return Number.isSafeInteger(page) && page >= 1 ? page : 1
}

/**
 * What a list shows stands in its address, so that coming back finds it as it was. A change replaces the address: one step
 * back leaves the list.
 */
export function useListAddress() {
  const [params, setParams] = useSearchParams()
  const change = (difference: Record<string, string | undefined>) =>
    setParams(
      (now) => {
        const next = new URLSearchParams(now)
        for (const [name, value] of Object.entries({ page: undefined, ...difference })) {
          if (value) next.set(name, value)
          else next.delete(name)
        }
        return next
      },
      { replace: true },
    )
  return {
    params,
    page: pageIn(params),
    goTo: (page: number) => change({ page: page > 1 ? String(page) : undefined }),
    /** Any other change starts on the first page. */
    change,
  }
}
