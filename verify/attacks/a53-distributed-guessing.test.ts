import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loginByMobile } from '@hufu/contract/login'
import { verifyTwoFactor } from '@hufu/contract/two-factor'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { solving } from '../../apps/server/test/pow-solution.ts'
import { fresh, type TestSite, times, wideLimits, wrongCode } from '../../apps/server/test/test-app.ts'
import { type Running, ready, runHufu } from '../../tools/run/product.ts'
import { freePort } from '../../tools/stores/ports.ts'
import { figure } from '../harness/assert-figure.ts'
import { askCode, type Browser, few, freshAddress, number } from '../harness/harness.ts'
import { tally, together } from '../harness/http.ts'
import { type OwnProduct, startOwnProduct } from '../harness/own-product.ts'
import { type Prometheus, startPrometheus } from '../harness/prometheus.ts'
import { askCheckCode } from './checks.ts'

/** The product's own bound; a smaller one where the run is short. */
const bound = few(1_000, 30)
/** What must not be reached without work. */
const most = few(10_000, 10 * bound)
/** Guesses at each code: five by the browser that asked for it, five by others. */
const ownGuesses = 5
const otherGuesses = 5
const users = few(20, 4)
/** Prometheus as delivered looks every 15 s and weighs its rules as often; here it does both every second. */
const deliveredSeconds = 30

let product: OwnProduct
let worker: Running
let prometheus: Prometheus
let t: OwnProduct['t']
let site: TestSite
beforeAll(async () => {
  product = await startOwnProduct()
  ;({ t } = product)
  const port = await freePort()
  const log = openSync(join(inject('logFolder'), `a53-worker-${port}.log`), 'a')
  worker = runHufu('work', { ...product.environment, HUFU_METRICS_PORT: String(port) }, [], log)
  closeSync(log)
  await ready(`http://127.0.0.1:${port}`, worker, '/healthz')
  prometheus = await startPrometheus({ 'hufu-work': [port] })
  const limits = { ...wideLimits, wrongCodesHour: bound }
  site = await t.codeSite({ limits })
}, 120_000)
afterAll(async () => {
  await prometheus?.stop()
  await worker?.stop()
  await product?.stop()
})

const fired = async () => (await prometheus.fired()).includes('HufuCodesGuessed')

/** One number: a code is asked for, and guessed from its browser and from others, each at an address of its own. */
async function guessNumber(): Promise<(string | undefined)[]> {
  const mobile = fresh.mobile()
  const browser = t.browser(site)
  const right = await askCode(browser, mobile)
  const wrong = { ...number(mobile), code: wrongCode(right) }
  const guess = (from: Browser) => from.call(loginByMobile, wrong, freshAddress())
  const own = await Promise.all(times(ownGuesses, () => guess(browser)))
  const others = await Promise.all(times(otherGuesses, () => guess(t.browser(site))))
  return [...own, ...others].map(({ code }) => code)
}

test('A53 D114 wrong codes over many numbers and addresses need proof of work, known users none, and the alert fires', async () => {
  const known = await together(users, 4, async () => {
    const user = await t.user(site, { password: undefined })
    const [signedIn, browser] = [await t.session(site, user.id), await t.session(site, user.id)]
    browser.cookies.delete('__Host-hufu')
    return { ...user, signedIn, browser }
  })
  expect(await fired()).toBe(false)

  // Half as many again as the bound takes.
  const numbers = Math.ceil((1.5 * bound) / (ownGuesses + otherGuesses))
  const codes = (await together(numbers, 8, guessNumber)).flat()
  const crossed = performance.now()
  const answers = tally(codes)
  console.log(`A53: ${codes.length} guesses at ${numbers} numbers: ${JSON.stringify(answers)}`)
  expect(answers.PROOF_REQUIRED).toBeGreaterThan(0)
  figure('wrong codes an hour that are compared without work', answers.CODE_WRONG ?? 0, ['=', bound])
  expect(bound).toBeLessThan(most)

  const unknown = await together(users, 4, async () => {
    const [browser, mobile] = [t.browser(site), fresh.mobile()]
    const login = { ...number(mobile), code: await askCode(browser, mobile) }
    const asked = await browser.call(loginByMobile, login)
    const worked = await solving((proof) => browser.call(loginByMobile, { ...login, proof }))
    return { asked: asked.code, worked: worked.status }
  })
  figure('unknown browsers that work before a try', unknown.filter(({ asked }) => asked === 'PROOF_REQUIRED').length, [
    '=',
    users,
  ])
  figure('of them signed in with the work done', unknown.filter(({ worked }) => worked === 200).length, ['=', users])

  const signedIn = await together(users, 4, async (index) => {
    const user = known[index] as (typeof known)[number]
    const code = await askCheckCode(t, site, user.signedIn, user.mobile)
    const check = await user.signedIn.call(verifyTwoFactor, { code })
    await t.passMinute(site, `+86${user.mobile}`)
    const login = { ...number(user.mobile), code: await askCode(user.browser, user.mobile) }
    return [check.status, (await user.browser.call(loginByMobile, login)).status]
  })
  figure(
    'step-ups and sign-ins of known users without proof of work',
    signedIn.flat().filter((status) => status === 200).length,
    ['=', 2 * users],
  )

  while (!(await fired()) && performance.now() - crossed < 60_000) await sleep(200)
  const seconds = (await fired()) ? (performance.now() - crossed) / 1_000 + deliveredSeconds : Number.POSITIVE_INFINITY
  figure('the alert after, with the intervals as delivered', seconds, ['<=', 60], 's')
  const logged = product.apis.flatMap(({ log }) => readFileSync(log, 'utf8').split('\n'))
  figure(
    'lines of the log that name the site',
    logged.filter((line) => line.includes('codes are guessed') && line.includes(site.id)).length,
    ['=', 1],
  )
}, 600_000)
