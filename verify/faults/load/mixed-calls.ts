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
import { type Browser, type Harness, type Person, password } from '../../harness/harness.ts'
import { operatorOf } from '../message-ledger.ts'
import { freshKey, type Kind } from './plan.ts'

interface Talker {
  person: Person
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
  // Hashing a password takes longer than all the rest of making somebody.
  const { id, username } = await t.person(site, withPassword ? {} : { password: undefined })
  const person = await t.session(site, id)
  const { data, code } = await person.call(sendFeedback, { message: '你好', key: randomUUID() })
  if (!data) throw new Error(`no conversation was begun: ${code}`)
  return { person, username, conversation: data.id }
}

/** Who calls: people with a session and a conversation, some with a password, and two operators. */
async function gather(t: Harness, site: TestSite, count: number) {
  const talkers: Talker[] = []
  for (let made = 0; made < count; made += 10)
    talkers.push(...(await Promise.all(times(10, (index) => beginTalk(t, site, made + index < 40)))))
  const operators = await Promise.all(times(2, () => operatorOf(t, site)))
  return { talkers, operators }
}

interface Mix {
  people?: number
  /** Documents too, where the product serves a built web app (HUFU_WEB_FOLDER). */
  pages?: boolean
}

/**
 * What a working day asks of an account centre, by weight: mostly pages that look who is signed in, some talk, a few sign-ins
 * and operators. Every person has a network address of their own, as the proxy tells it.
 */
export async function mixedCalls(
  t: Harness,
  site: TestSite,
  { people = 400, pages = false }: Mix = {},
): Promise<Kind[]> {
  const { talkers, operators } = await gather(t, site, people)
  const strangers = times(people, () => t.browser(site))
  const byPerson = <E extends Endpoint>(endpoint: E, input: (talker: Talker) => InputOf<E>) =>
    talkers.map((talker) => callText(site, talker.person, endpoint, input(talker)))
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
      byPerson(userInfo, () => ({})),
    ),
    kind(
      'unread',
      8,
      byPerson(unreadFeedback, () => ({})),
    ),
    kind(
      'devices',
      4,
      byPerson(listDevices, () => ({ top: 20, skip: 0 })),
    ),
    kind(
      'history',
      3,
      byPerson(listOwnSecurity, () => ({ top: 20, skip: 0 })),
    ),
    kind(
      'conversations',
      4,
      byPerson(listFeedback, () => ({ brief: true })),
    ),
    kind(
      'conversation',
      4,
      byPerson(readFeedback, ({ conversation }) => ({ id: conversation })),
    ),
    kind(
      'say',
      4,
      byPerson(sendFeedback, ({ conversation: id }) => ({ id, message: '还在吗？', key: freshKey })),
    ),
    kind(
      'preference',
      4,
      byPerson(changePreference, () => ({ dark: true, fontSize: null, region: null, language: null })),
    ),
    kind('scan', 2, byStranger(createScanRequest, {})),
    kind(
      'sign in',
      1,
      talkers
        .slice(0, 40)
        .map(({ person, username }) => callText(site, person, loginByPassword, { account: username, password })),
    ),
    kind('desk', 2, byOperator(listMerchantFeedback, { brief: true })),
    kind('people', 1, byOperator(queryUsers, { top: 20, skip: 0 })),
    kind('home', 1, byOperator(merchantHome, {})),
  ]
}
