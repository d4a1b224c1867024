import { setTimeout as sleep } from 'node:timers/promises'
import { loginByMobile } from '@hufu/contract/login'
import { sendTwoFactorEmailCode, sendTwoFactorMobileCode, verifyTwoFactor } from '@hufu/contract/two-factor'
import { sendEmailCode, sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeTo, type TestSite, times } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { type CallResponse, freshAddress, type Harness, number, openHarness, short } from '../harness/harness.ts'

/** At once, at each time that a code may be sent. */
const strangers = 10

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  // The product's own limits.
  site = await t.codeSite({ limits: {} })
})
afterAll(() => t.close())

async function pass(receiver: string, time: string): Promise<void> {
  await t.passMinute(site, receiver)
  const query = 'UPDATE code_send SET at = at - $3::interval WHERE site_id = $1 AND receiver = $2'
  await t.deps.pool.query(query, [site.id, receiver, time])
}

/** As often as strangers get a code, a minute or an hour apart; the last one has just been sent. */
async function fill(
  receiver: string,
  asks: (() => Promise<CallResponse<unknown>>)[],
  time: string,
  most: number,
): Promise<number> {
  let sent = 0
  for (let round = 0; round < most; round++) {
    if (round > 0) await pass(receiver, time)
    const replies = await Promise.all(asks.map((ask) => ask()))
    sent += replies.filter(({ status }) => status === 200).length
  }
  return sent
}

/** Those of the strangers who get one more, the minute over. */
async function more(receiver: string, asks: (() => Promise<CallResponse<unknown>>)[]): Promise<number> {
  await t.passMinute(site, receiver)
  const replies = await Promise.all(asks.map((ask) => ask()))
  return replies.filter(({ status, details }) => status === 200 || details.retryAfter < 3_600).length
}

/** The seconds until a code comes: at once, or after the wait between two sends, really waited for in the full form. */
async function secondsToCode(receiver: string, ask: () => Promise<CallResponse<unknown>>, to: string) {
  const began = performance.now()
  const first = await ask()
  if (first.status !== 200) {
    const wait = Number(first.details?.retryAfter ?? Number.POSITIVE_INFINITY)
    if (wait > 60) return { seconds: wait, code: undefined }
    if (short) await t.passMinute(site, receiver)
    else await sleep(wait * 1_000 + 500)
    const second = await ask()
    if (second.status !== 200) return { seconds: Number.POSITIVE_INFINITY, code: undefined }
  }
  return { seconds: (performance.now() - began) / 1_000, code: await codeTo(to) }
}

const quotas = [
  ['hour', '1 second', 3],
  ['day', '61 minutes', 6],
] as const

test.each(quotas)(
  'A48 D111 strangers who fill the %s of a number leave codes to its session and its known browser',
  async (name, time, most) => {
    const user = await t.user(site, { password: undefined })
    const [session, known] = [await t.session(site, user.id), await t.session(site, user.id)]
    known.cookies.delete('__Host-hufu')
    const receiver = `+86${user.mobile}`
    const other = await t.session(site, (await t.user(site, { password: undefined })).id)
    const ask = (browser: Pick<typeof session, 'call'>) => () =>
      browser.call(sendMobileCode, number(user.mobile), freshAddress())
    const asks = [...times(strangers - 1, () => ask(t.browser(site))), ask(other)]
    const sent = await fill(receiver, asks, time, most)
    figure(`codes that strangers get of the ${name}`, sent, ['=', most])
    const step = await secondsToCode(receiver, () => session.call(sendTwoFactorMobileCode), user.mobile)
    figure(`a code for the session, the ${name} filled, after`, step.seconds, ['<=', 62], 's')
    expect((await session.call(verifyTwoFactor, { code: step.code ?? '' })).status).toBe(200)
    figure(`codes that strangers get beyond those of the ${name}`, await more(receiver, asks), ['=', 0])
    const login = await secondsToCode(receiver, ask(known), user.mobile)
    figure(`a code for the known browser, the ${name} filled, after`, login.seconds, ['<=', 62], 's')
    expect((await known.call(loginByMobile, { ...number(user.mobile), code: login.code ?? '' })).data?.id).toBe(user.id)
  },
  400_000,
)

test.each(quotas)(
  'A48 D111 accounts that fill the %s of an address leave codes to its own session',
  async (name, time, most) => {
    const user = await t.user(site, { password: undefined, mobile: undefined })
    const session = await t.session(site, user.id)
    const others = await Promise.all(
      times(3, async () => t.session(site, (await t.user(site, { password: undefined })).id)),
    )
    const mail = { email: user.email, type: 'authorize' as const }
    const asks = others.map((other) => () => other.call(sendEmailCode, mail, freshAddress()))
    const sent = await fill(user.email, asks, time, most)
    figure(`mails that other accounts get of the ${name}`, sent, ['=', most])
    const step = await secondsToCode(user.email, () => session.call(sendTwoFactorEmailCode), user.email)
    figure(`a mail for the session, the ${name} filled, after`, step.seconds, ['<=', 62], 's')
    expect((await session.call(verifyTwoFactor, { code: step.code ?? '', way: 'email' })).status).toBe(200)
    figure(`mails that other accounts get beyond those of the ${name}`, await more(user.email, asks), ['=', 0])
  },
  400_000,
)
