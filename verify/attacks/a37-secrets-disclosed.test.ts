import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  confirmFeedback,
  feedbackPerson,
  listFeedback,
  listMerchantFeedback,
  rateFeedback,
  readFeedback,
  readMerchantFeedback,
  replyFeedback,
  sendFeedback,
  setFeedbackStatus,
} from '@hufu/contract/feedback'
import { addNote, listNotes, saveReply } from '@hufu/contract/feedback-desk'
import { confirmLogin, loginByMobile, loginByPassword, logout, sendConfirmCode } from '@hufu/contract/login'
import { checkConfig, openConfig, updateConfig } from '@hufu/contract/merchant-config'
import { exportUsers, queryUsers, readUser, userSecurityLog } from '@hufu/contract/merchant-users'
import { queryOperatorLog } from '@hufu/contract/operators'
import { userInfo } from '@hufu/contract/profile'
import { sendEmailCode, sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { codeTo, fresh, type TestSite, wrongCode } from '../../apps/server/test/test-app.ts'
import { boundToParent } from '../../tools/run/bound-to-parent.ts'
import { demoSms } from '../../tools/simulators/demo-gateways.ts'
import { figure } from '../harness/assert-figure.ts'
import { bind, createId, exchange, ticketIn } from '../harness/authorizing.ts'
import { callerOf } from '../harness/callers.ts'
import {
  askCode,
  type Browser,
  type CallResponse,
  few,
  type Harness,
  nextUrl,
  number,
  password as usualPassword,
} from '../harness/harness.ts'
import { together } from '../harness/http.ts'
import { openStream } from '../harness/stream.ts'
import { allEndpoints, bodyFor } from './samples.ts'
import { startWithWorker, type WithWorker } from './with-worker.ts'

const secret = (name: string) => `seeded-${name}-${randomBytes(9).toString('hex')}`
const config = {
  wechat: secret('wechat'),
  client: secret('client'),
  sms: secret('sms'),
  mail: secret('mail'),
  unknown: secret('gateway'),
}

let product: WithWorker
let t: Harness
let site: TestSite
beforeAll(async () => {
  product = await startWithWorker()
  ;({ t } = product)
  // The first gateway refuses its key, so that what a gateway complains about is logged too.
  const refusing = {
    kind: 'tencent' as const,
    keyId: 'AKIDUnknown',
    secret: config.sms,
    signName: '青屿生活',
    appId: '1',
    templates: { login: '2480001' },
  }
  site = await t.codeSite({
    sms: { gateways: [refusing, ...demoSms.gateways] },
    mail: { host: '127.0.0.1', port: inject('smtpPort'), from: 'a@example.com', password: config.mail },
    wechat: { appId: 'wx1', secret: config.wechat },
    clients: [{ id: 'c', name: '店', secret: config.client, sources: ['https://c.example'] }],
  })
})
afterAll(() => product?.stop())

/** What was said to whom: an own number in the own profile is no leak, a password anywhere is one. */
const answers: string[] = []
const secrets = new Map<string, string>(Object.entries(config).map(([name, value]) => [value, `config ${name}`]))
const personal = new Map<string, string>()
const streamed: string[] = []

function note<Reply extends CallResponse<unknown>>(reply: Reply): Reply {
  // The session's own cookie is the one place where its secret belongs.
  const { 'set-cookie': _, ...headers } = reply.headers
  answers.push(`${reply.body} ${JSON.stringify(headers)}`)
  return reply
}

const keepCookies = ({ cookies }: Browser) => {
  for (const [name, value] of cookies) {
    const own = value.split('.').at(-1) ?? value
    // A mark that only says yes is no secret.
    if (own.length > 16) secrets.set(own, `cookie ${name}`)
  }
}

async function wholeRun(): Promise<void> {
  const mobile = fresh.mobile()
  personal.set(mobile, 'mobile')
  const browser = t.browser(site, { userAgent: 'Mozilla/5.0 (Windows NT 10.0) Chrome/142.0.0.0' })
  const code = await askCode(browser, mobile)
  secrets.set(code, 'code')
  note(await browser.call(loginByMobile, { ...number(mobile), code: wrongCode(code) }))
  note(await browser.call(loginByMobile, { ...number(mobile), code }))
  note(await browser.call(sendMobileCode, number(mobile)))
  keepCookies(browser)
  note(await browser.call(userInfo))
  const email = fresh.email()
  personal.set(email, 'email')
  note(await browser.call(sendEmailCode, { email, type: 'authorize' }))
  secrets.set(await codeTo(email), 'mailed code')
  note(await browser.call(logout))
}

async function passwordRun(): Promise<void> {
  const password = `P#${randomBytes(5).toString('hex')}9z`
  const user = await t.user(site, { password, nickname: '林知夏' })
  secrets.set(password, 'password')
  for (const name of [user.email, user.mobile]) personal.set(name, 'name')
  const wrong = `W#${randomBytes(5).toString('hex')}9z`
  secrets.set(wrong, 'wrong password')
  for (const account of [user.username, user.email, user.mobile, 'a\u0000b@example.com']) {
    note(await t.browser(site).call(loginByPassword, { account, password: wrong }))
  }
  const browser = t.browser(site)
  note(await browser.call(loginByPassword, { account: user.email, password }))
  keepCookies(browser)
  await recycledRun(user.id, user.mobile, user.email, password)
}

async function recycledRun(id: string, mobile: string, email: string, password: string): Promise<void> {
  await t.deps.pool.query("UPDATE identity SET proved_at = now() - interval '91 days' WHERE user_id = $1", [id])
  const browser = t.browser(site)
  const code = await askCode(browser, mobile)
  secrets.set(code, 'code')
  const asked = await browser.call(loginByMobile, { ...number(mobile), code })
  const { ticket } = asked.details
  note(await browser.call(sendConfirmCode, { ticket }))
  secrets.set(await codeTo(email), 'mailed code')
  note(await browser.call(confirmLogin, { ticket, mine: true, code: '000000' }))
  note(await browser.call(confirmLogin, { ticket, mine: true, password }))
  // Its one answer held the ticket; nothing else may.
  secrets.set(ticket, 'ticket')
  keepCookies(browser)
}

/** A ticket belongs into the one address that leads back, and nowhere else. */
async function authorizeRun(): Promise<void> {
  const user = await t.session(site, (await t.user(site, { nickname: '林知夏' })).id)
  keepCookies(user)
  const id = await createId(user, 'https://c.example/callback')
  const ticket = ticketIn((await bind(user, id)).data) ?? ''
  secrets.set(id, 'authorize id')
  secrets.set(ticket, 'authorize ticket')
  note(await bind(user, id))
  const client = { id: 'c', secret: config.client }
  note(await exchange(t, site, ticket, { ...client, secret: `${config.client}x` }))
  note(await exchange(t, site, ticket, client))
  note(await exchange(t, site, ticket, client))
}

/** What users and operators write to each other stands in no log, and a stream reports that there is something, not what. */
async function feedbackRun(): Promise<void> {
  const words = () => {
    const own = secret('words')
    personal.set(own, 'message')
    return `${own} 我的手机是13912345678`
  }
  const author = await t.user(site, { nickname: secret('nickname') })
  for (const name of [author.email, author.mobile]) personal.set(name, 'name')
  const user = await t.session(site, author.id)
  const operator = await callerOf(t, 'merchantWrite', site)
  const streams = [
    await openStream(site, user, nextUrl(product.urls)),
    await openStream(site, operator, nextUrl(product.urls)),
  ]
  for (const browser of [user, operator]) keepCookies(browser)
  const key = secret('key')
  const id = note(await user.call(sendFeedback, { message: words(), key })).data?.id ?? ''
  note(await operator.call(replyFeedback, { id, message: words(), key }))
  note(await operator.call(setFeedbackStatus, { id, status: 3 }))
  note(await operator.call(addNote, { id, text: words(), key: randomUUID() }))
  note(await operator.call(saveReply, { title: words().slice(0, 20), text: words() }))
  note(await user.call(confirmFeedback, { id }))
  note(await user.call(rateFeedback, { id, score: 5, words: words() }))
  // Refusals complain about what was sent; they may not repeat it.
  for (const message of [words().repeat(200), `${words()}\u0000`, [words()]])
    note(await user.post(sendFeedback.path, JSON.stringify({ id, message, key })))
  note(await operator.post(replyFeedback.path, `{"id": "${id}", "message": "${words()}`))
  note(await operator.post(addNote.path, JSON.stringify({ id, text: [words()], key: words() })))
  for (const [browser, endpoints] of [
    [user, [listFeedback, readFeedback]],
    [operator, [listMerchantFeedback, readMerchantFeedback, feedbackPerson, listNotes]],
  ] as const)
    for (const endpoint of endpoints)
      note(await browser.post(endpoint.path, JSON.stringify({ id, search: author.mobile })))
  await expect.poll(() => streams.every(({ received }) => received.length >= 3)).toBe(true)
  for (const stream of streams) {
    streamed.push(stream.text)
    stream.close()
  }
}

/** What an operator looks for and changes is personal, and a config that comes back shows no secret. */
async function backOfficeRun(): Promise<void> {
  const user = await t.user(site, { nickname: secret('nickname') })
  for (const name of [user.email, user.mobile]) personal.set(name, 'name')
  const operator = await callerOf(t, 'merchantAdmin', site)
  keepCookies(operator)
  for (const search of [user.mobile, user.email, user.username, user.mobile.slice(-4)])
    note(await operator.call(queryUsers, { search }))
  const { id } = user
  note(await operator.call(readUser, { id }))
  note(await operator.call(userSecurityLog, { id }))
  note(await operator.call(exportUsers, { search: user.mobile }))
  note(await operator.call(queryOperatorLog, {}))
  const { data } = note(await operator.call(openConfig, {}))
  const written = secret('config')
  secrets.set(written, 'written secret')
  const mail = { ...(data?.config.mail as object), password: written }
  note(await operator.call(updateConfig, { config: { ...data?.config, mail } }))
  note(await operator.post(updateConfig.path, JSON.stringify({ config: { mail: { password: [written] } } })))
  note(await operator.call(checkConfig, { config: { mail: { host: 1, password: written } } }))
}

async function logs(): Promise<string> {
  await sleep(1_500)
  const texts = product.logs().map(([, text]) => text)
  return texts.join('\n')
}

/** What the command line prints, also where it refuses. */
const printed: string[] = []

async function commandRun(): Promise<void> {
  const [password, written, mobile] = [`C#${randomBytes(5).toString('hex')}9z`, secret('cli'), fresh.mobile()]
  secrets.set(password, 'password of the command line')
  secrets.set(written, 'secret of the command line')
  const user = ['--site', site.id, '--mobile', mobile]
  const { data } = await (await callerOf(t, 'merchantAdmin', site)).call(openConfig, {})
  const mail = { ...(data?.config.mail as object), password: written }
  const saved = JSON.stringify({ ...data?.config, mail })
  const commands: [args: string[], input?: string][] = [
    [['site', 'list']],
    [['config', 'set', site.id, '-'], saved],
    [['config', 'set', site.id, '-'], `${saved.slice(0, -1)},"limits":"${written}"}`],
    [['config', 'set', site.id, '-'], saved.slice(0, -3)],
    [['config', 'get', site.id]],
    [['user', 'create', ...user, '--password-stdin'], password],
    [['user', 'create', ...user, '--password-stdin'], password],
    [['user', 'create', '--site', site.id, '--password-stdin'], `${password}${password}`],
    [['grant', ...user, 'MERCHANT', 'READ']],
    [['user', 'disable', ...user]],
    [['keys', 'rotate']],
    [['sealed', 'read', '--site', site.id, '--user', randomUUID(), '--reason', '查看']],
  ]
  printed.push(...(await together(commands.length, 3, (index) => saidBy(...(commands[index] ?? [[]])))))
}

/** Both outputs of one command, whether it went well or not. */
async function saidBy(args: string[], input = ''): Promise<string> {
  const cli = join(import.meta.dirname, '../../apps/server/src/cli/cli.ts')
  const child = spawn(...boundToParent(process.execPath, [cli, ...args]), {
    env: { ...process.env, ...product.environment },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (said += part.toString()))
  child.stdin.on('error', () => undefined).end(input)
  await once(child, 'close')
  return said
}

/** Everything that any process of the whole run has logged so far, whichever attack it belonged to. */
function wholeRunOutput(): string[] {
  const files = globSync('*.log', { cwd: inject('logFolder') })
  const text = files.map((file) => readFileSync(join(inject('logFolder'), file), 'utf8')).join('\n')
  return [
    ...(text.match(/(?<![\w.:-])(?:\+?86)?1[3-9]\d{9}(?![\w.:-])/g) ?? []),
    ...(text.match(/\bp[0-9a-f]{8}-[0-9a-f]{3}@example\.com/g) ?? []),
    ...(text.includes(usualPassword) ? ['the usual password'] : []),
  ]
}

/** Six digits may stand inside a longer number by chance; alone they may not. */
const holds = (text: string, value: string) =>
  /^\d{6}$/.test(value) ? new RegExp(`(?<![\\w.-])${value}(?![\\w.-])`).test(text) : text.includes(value)

test('A37 no secret is in a response or a log, and logs name no user', async () => {
  for (let round = 0; round < few(4, 1); round++) {
    await wholeRun()
    await passwordRun()
    await authorizeRun()
    await feedbackRun()
    await backOfficeRun()
  }
  await commandRun()
  for (const endpoint of allEndpoints) {
    for (const role of ['anonymous', 'user', 'merchantAdmin'] as const) {
      const caller = await callerOf(t, role, site)
      keepCookies(caller)
      const { body, headers } = bodyFor(endpoint)
      note(await caller.post(endpoint.path, body, headers))
    }
  }
  for (const path of ['/api/openapi.json', '/healthz', '/readyz', '/api/nothing'])
    note(await t.browser(site).post(path, ''))
  for (const [, key = ''] of product.environment.HUFU_KEYS?.split(/[:,]/).entries() ?? [])
    if (key.length > 20) secrets.set(key, 'key')

  const logText = await logs()
  const all = answers.join('\n')
  const found = [
    ...[...secrets].filter(([value]) => holds(all, value)).map(([, name]) => `${name} in an answer`),
    ...[...secrets].filter(([value]) => holds(logText, value)).map(([, name]) => `${name} in a log`),
    ...[...personal].filter(([value]) => logText.includes(value)).map(([, name]) => `${name} in a log`),
    ...[...secrets].filter(([value]) => holds(printed.join('\n'), value)).map(([, name]) => `${name} printed`),
    ...[...personal, ...secrets]
      .filter(([value]) => streamed.join().includes(value))
      .map(([, name]) => `${name} in a stream`),
  ]
  const whole = wholeRunOutput()
  const lines = logText.split('\n').length
  for (const line of [...found, ...whole.slice(0, 10)]) console.log(`A37: ${line}`)
  figure('secrets and names looked for', secrets.size + personal.size, ['>=', few(100, 60)])
  figure('answers searched', answers.length, ['>=', 3 * allEndpoints.length])
  figure('secrets disclosed by responses, logs, streams or the command line', found.length, ['=', 0])
  figure('numbers, addresses and passwords unencrypted in all logs of the run', whole.length, ['=', 0])
  expect(printed.join('\n')).toContain('********')
  expect(lines).toBeGreaterThan(answers.length / 2)
  expect(logText).toContain('an SMS was refused')
}, 600_000)
