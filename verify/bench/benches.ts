import type { Figure } from '../harness/figures.ts'

export type Bench = (seconds: number, options: string[]) => Promise<Figure[]>

/** Every bench by its name. */
export const benches: Record<string, () => Promise<{ default: Bench }>> = {
  meta: () => import('./meta.ts'),
  session: () => import('./session.ts'),
  upgrade: () => import('./upgrade.ts'),
  'scan-check': () => import('./scan-check.ts'),
  oidc: () => import('./oidc.ts'),
  'sign-in': () => import('./sign-in.ts'),
  avatar: () => import('./avatar.ts'),
  lighthouse: () => import('./lighthouse.ts'),
  'load-users': () => import('./load-users.ts'),
  feedback: () => import('./feedback.ts'),
  streams: () => import('./streams.ts'),
  statistics: () => import('./statistics.ts'),
  users: () => import('./users.ts'),
  import: () => import('./import.ts'),
  'cold-start': () => import('./cold-start.ts'),
  start: () => import('./start.ts'),
}
