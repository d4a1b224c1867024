import type { APIRequestContext } from '@playwright/test'
import type { DemoProduct } from './demo-product.ts'
import { demoConfig } from './demo-site.ts'

type Addresses = Pick<DemoProduct['addresses'], 'web' | 'inbox' | 'operator'>

/** Signs the demo's operator in with the code that arrived in the inbox. */
export async function signInOperator(request: APIRequestContext, { web, inbox, operator }: Addresses): Promise<void> {
  const headers = { origin: web }
  await request.post(`${web}/api/verifyCode/mobile`, { headers, data: operator })
  const messages = await request.get(`${inbox}/api/messages?to=${operator.mobile}`)
  const [newest] = ((await messages.json()) as { data: { text: string }[] }).data
  const code = /\d{6}/.exec(newest?.text ?? '')?.[0]
  const data = { ...operator, code, agreements: demoConfig.agreements.version }
  const answer = await request.post(`${web}/api/login/mobile`, { headers, data })
  if (!answer.ok()) throw new Error(`signing in failed: ${await answer.text()}`)
}
