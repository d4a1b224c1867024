import type { BrowserContext } from '@playwright/test'
import type { User } from '../harness/harness.ts'

/** Gives a browser the cookies of a session, where signing in is not the subject. */
export async function giveCookies(context: BrowserContext, origin: string, { cookies }: User): Promise<void> {
  const own = { domain: new URL(origin).hostname, path: '/', secure: true, sameSite: 'Lax' as const }
  await context.addCookies([
    ...[...cookies].map(([name, value]) => ({ ...own, name, value, httpOnly: true })),
    { ...own, name: '__Host-hufu-in', value: '1', httpOnly: false },
  ])
}
