import { type Count, counter, histogram, type Times } from '../platform/metrics/metrics.ts'

const calls = counter('hufu_calls_total', 'Calls and pages answered, by route and class of status.')
const times = histogram('hufu_call_seconds', 'How long they took, by route.')

interface Route {
  classes: Count[]
  times: Times
}

const routes = new Map<string, Route>()

function made(route: string): Route {
  const classes = [1, 2, 3, 4, 5].map((digit) => calls.of({ route, status: `${digit}xx` }))
  const added = { classes, times: times.of({ route }) }
  routes.set(route, added)
  return added
}

/** Counts an answer. The route is a pattern, so there are few label values. */
export function countAnswer(route: string, status: number, ms: number): void {
  const { classes, times } = routes.get(route) ?? made(route)
  const count = classes[Math.floor(status / 100) - 1]
  if (count) count.value++
  times.observe(ms / 1_000)
}
