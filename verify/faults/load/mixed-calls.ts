import { randomUUID } from 'node:crypto'
import { listDevices } from '@hufu/contract/devices'
import type { Endpoint, InputOf } from '@hufu/contract/endpoint'
import { listFeedback, listMerchantFeedback, readFeedback, sendFeedback, unreadFeedback } from '@hufu/contract/feedback'
import { loginByPassword } from '@hufu/contract/login'
import { queryUsers } from '@hufu/contract/merchant-users'
import { changePreference, userInfo } from '@hufu/contract/profile'
import { createScanRequest } from '@hufu/contract/scan-login'
import { listOwnSecurity } from '@hufu/contract/security'
import { meta } from '@hufu/contract/site'
import { merchantHome, pageVisit } from '@hufu/contract/statistics'
import { type TestSite, times } from '../../../apps/server/test/test-app.ts'
import { type Browser, type Harness, password, type User } from '../../harness/harness.ts'
import { operatorOf } from '../message-ledger.ts'
import { freshKey, type Kind } from './plan.ts'

interface Talker {
  user: User
  username: string
  conversation: string
}

const headersOf = (site: TestSite, { cookies, address }: Pick<Browser, 'cookies' | 'address'>): string[] => [
  `host: ${site.host}`,
  'sec-fetch-site: same-origin',
  'user-agent: Mozilla/5.0 (Linux; Android 14) MicroMessenger/8.0',
  `x-forwarded-for: ${address}`,
  `cookie: ${[...cookies].map(([name, value]) => `${name}=${value}`).join('; ')}`,
]

function callText<E extends Endpoint>(site: TestSite, browser: Browser, { path }: E, input: InputOf<E>): string {
  const body = JSON.stringify(input)
  const lines = [
    `POST ${path} HTTP/1.1`,
    ...headersOf(site, browser),
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

const pageText = (site: TestSite, browser: Browser, path: string): string =>
  `${[`GET ${path} HTTP/1.1`, ...headersOf(site, browser), 'accept: text/html'].join('\r\n')}\r\n\r\n`

async function beginTalk(t: Harness, site: TestSite, withPassword: boolean): Promise<Talker> {
  // Hashing a password takes longer than the rest of creating a user.
  const { id, username } = await t.user(site, withPassword ? {} : { password: undefined })
  const user = await t.session(site, id)
  const { data, code } = await user.call(sendFeedback, { message: '你好', key: randomUUID() })
  if (!data) throw new Error(`no conversation was begun: ${code}`)
  return { user, username, conversation: data.id }
}

/** Who calls: users with a session and a conversation, some with a password, and two operators. */
async function gather(t: Harness, site: TestSite, count: number) {
  const talkers: Talker[] = []
  for (let made = 0; made < count; made += 10)
    talkers.push(...(await Promise.all(times(10, (index) => beginTalk(t, site, made + index < 40)))))
  const operators = await Promise.all(times(2, () => operatorOf(t, site)))
  return { talkers, operators }
}

interface Mix {
  users?: number
  /** Documents too, where the product serves a built web app (HUFU_WEB_FOLDER). */
  pages?: boolean
}

/**
 * The calls of a working day, by weight: mostly pages that ask who is signed in, some feedback, a few sign-ins
 * and operators. Every user has its own IP address, as reported by the proxy.
 */
export async function mixedCalls(
  t: Harness,
  site: TestSite,
  { users = 400, pages = false }: Mix = {},
): Promise<Kind[]> {
  const { talkers, operators } = await gather(t, site, users)
  const strangers = times(users, () => t.browser(site))
  const byUser = <E extends Endpoint>(endpoint: E, input: (talker: Talker) => InputOf<E>) =>
    talkers.map((talker) => callText(site, talker.user, endpoint, input(talker)))
  const byStranger = <E extends Endpoint>(endpoint: E, input: InputOf<E>) =>
    strangers.map((browser) => callText(site, browser, endpoint, input))
  const byOperator = <E extends Endpoint>(endpoint: E, input: InputOf<E>) =>
    operators.map((operator) => callText(site, operator, endpoint, input))
  const documents = strangers.map((browser) => pageText(site, browser, '/login'))
  const kind = (name: string, weight: number, requests: string[]): Kind => ({ name, weight, requests })
  return [
    ...(pages ? [kind('page', 6, documents)] : []),
    kind('meta', 10, byStranger(meta, {})),
    kind('visit', 6, byStranger(pageVisit, {})),
    kind(
      'info',
      40,
      byUser(userInfo, () => ({})),
    ),
    kind(
      'unread',
      8,
      byUser(unreadFeedback, () => ({})),
    ),
    kind(
      'devices',
      4,
      byUser(listDevices, () => ({ top: 20, skip: 0 })),
    ),
    kind(
      'history',
      3,
      byUser(listOwnSecurity, () => ({ top: 20, skip: 0 })),
    ),
    kind(
      'conversations',
      4,
      byUser(listFeedback, () => ({ brief: true })),
    ),
    kind(
      'conversation',
      4,
      byUser(readFeedback, ({ conversation }) => ({ id: conversation })),
    ),
    kind(
      'say',
      4,
      byUser(sendFeedback, ({ conversation: id }) => ({ id, message: '还在吗？', key: freshKey })),
    ),
    kind(
      'preference',
      4,
      byUser(changePreference, () => ({ dark: true, fontSize: null, region: null, language: null })),
    ),
    kind('scan', 2, byStranger(createScanRequest, {})),
    kind(
      'sign in',
      1,
      talkers
        .slice(0, 40)
        .map(({ user, username }) => callText(site, user, loginByPassword, { account: username, password })),
    ),
    kind('desk', 2, byOperator(listMerchantFeedback, { brief: true })),
    kind('user list', 1, byOperator(queryUsers, { top: 20, skip: 0 })),
    kind('home', 1, byOperator(merchantHome, {})),
  ]
}
