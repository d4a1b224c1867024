import { bindAuthorization, createAuthorization, exchangeTicket } from '@hufu/contract/authorize'
import { entry } from '@hufu/contract/login'
import { sendWechatMessage } from '@hufu/contract/merchant-wechat'
import { bindWechat, wechatLogin, wechatTicket } from '@hufu/contract/wechat'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { newSecret, sha256 } from '../../apps/server/src/platform/crypto/hash.ts'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { newWechat, returnFromWechat } from '../../apps/server/test/wechat-phone.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Browser, few, freshAddress, type Harness, openHarness, type User } from '../harness/harness.ts'
import { together } from '../harness/http.ts'
import { seeded } from '../harness/walks.ts'
import { escapes, mixed } from './payloads.ts'
import { allEndpoints, allNavigations, fieldsOf } from './samples.ts'

const fuzzed = few(20_000, 400)
const pick = seeded('A26')
const allowed = 'shop.example.com'
const inWechat = { userAgent: 'Mozilla/5.0 (iPhone) MicroMessenger/8.0.50' }

let t: Harness
let site: TestSite
let user: User
let payloads: string[]
beforeAll(async () => {
  t = await openHarness()
  const config = {
    sources: [`https://${allowed}`],
    clients: [{ id: 'c', name: '店', sources: ['https://client.example.com:8443'] }],
    wechat: await newWechat(),
  }
  ;[site] = (await t.sites(1, () => config)) as [TestSite]
  user = await t.session(site, (await t.user(site, { password: undefined })).id)
  const all = [...new Set(escapes(site.host, allowed))].filter((source) => source.length <= 4_096)
  payloads = all.filter((_, index) => index % few(1, 3) === 0)
})
afterAll(() => t.close())

/** Why a browser at one of our pages must not be sent there, if so. */
function awayOf(answer: string): string | undefined {
  if ([...answer].some((character) => character <= ' ' || character === '\\' || character === '\x7f'))
    return 'hidden characters'
  if (!URL.canParse(answer, `${site.origin}/login`)) return 'no address'
  const url = new URL(answer, `${site.origin}/login`)
  if (![site.origin, `https://${allowed}`, 'https://client.example.com:8443'].includes(url.origin))
    return `origin ${url.origin}`
  if (url.username || url.password) return 'userinfo'
  if (url.origin !== site.origin) return answer === url.href ? undefined : 'not as it was checked'
  return /^\/(?![/\\])/.test(answer) ? undefined : 'not a path'
}

/** The same of a source, which is neither a call nor the sign-in page itself either. */
function escapeOf(answer: string): string | undefined {
  const away = awayOf(answer)
  if (away) return away
  const url = new URL(answer, site.origin)
  if (url.origin !== site.origin) return undefined
  // Some servers and browsers decode once more than others.
  for (const path of [url.pathname, decodeURIComponent(url.pathname)]) {
    if (/^\/(api|login)([/?#]|$)/i.test(path) || /^\/[/\\]/.test(path)) return `path ${path}`
  }
  return undefined
}

interface Answer {
  data?: unknown
  code?: string | undefined
  status: number
}

/** The responses to hostile sources, and those that lead away from the site. */
async function lead(sources: string[], ask: (source: string) => Promise<Answer>, why = escapeOf) {
  const answers = await together(sources.length, 32, (index) => ask(sources[index] ?? ''))
  const escaped = answers.flatMap(({ data, code, status }, index) => {
    // A text that can't even be read is refused before a source is looked for in it.
    if (code === 'INPUT_INVALID' || code === 'AUTHORIZE_SOURCE') return []
    const reason = typeof data === 'string' ? why(data) : `status ${status} ${code}`
    return reason === undefined ? [] : [`${JSON.stringify(sources[index])} → ${JSON.stringify(data)}: ${reason}`]
  })
  return { escaped, kept: answers.filter(({ data }) => data !== undefined && data !== '/user').length }
}

function report(what: string, count: number, { escaped, kept }: Awaited<ReturnType<typeof lead>>): void {
  const shown = escaped.slice(0, 20).map((line) => `\n  ${line}`)
  console.log(`A26: ${count} ${what}, ${escaped.length} escaped, ${kept} answered as harmless${shown.join('')}`)
  figure(`escapes: ${what}`, escaped.length, ['=', 0])
}

/** Fields by which a caller sets a return address, and no other field that looks like one. */
const leading = /(source|sources|url|uri|redirect|return|back|next|target|link|href|callback|state)$/i

test('A26 every parameter that holds a return address is covered', () => {
  const calls = allEndpoints.flatMap((endpoint) => {
    const fields = fieldsOf(endpoint).filter((field) => leading.test(field))
    return fields.map((field) => `${endpoint.path} ${field}`)
  })
  // The address in a message of WeChat is opened only by the user; A27 checks its content.
  const met = [`${entry.path} source`, `${createAuthorization.path} source`, `${createAuthorization.path} state`]
  // A client's value is only compared, never followed.
  met.push(`${exchangeTicket.path} state`)
  expect(calls.sort()).toEqual([...met, `${sendWechatMessage.path} url`].sort())
  const queries = allNavigations.flatMap(({ query }) => Object.keys((query as unknown as { shape: object }).shape))
  expect([...new Set(queries)].sort()).toEqual(['code', 'source', 'state', 'tap', 'ticket'])
})

const enter = (source: string) => t.browser(site).call(entry, { source })

test('A26 no source leads away from the site and its allowed origins', async () => {
  figure('different payloads', payloads.length, ['>=', 500])
  report('payloads', payloads.length, await lead(payloads, enter))
})

test('A26 no random mixture leads away either', async () => {
  report('random sources', fuzzed, await lead(mixed(pick, fuzzed, site.host, allowed), enter))
})

test('A26 inside WeChat the entry leads only to our own redirect, which keeps no hostile source', async () => {
  const answers = await lead(
    payloads,
    (source) => t.browser(site, inWechat).call(entry, { source }),
    (answer) => {
      const url = new URL(answer, site.origin)
      if (url.origin !== site.origin || url.pathname !== wechatLogin.path) return 'not our own way'
      return escapeOf(url.searchParams.get('source') ?? '')
    },
  )
  report('payloads inside WeChat', payloads.length, answers)
})

async function authorize(source: string, state?: string): Promise<Answer> {
  const begun = await user.call(createAuthorization, { source, ...(state !== undefined && { state }) }, freshAddress())
  const { data: id } = begun
  return id === undefined ? begun : await bindTo(id)
}

const bindTo = (id: string) => user.call(bindAuthorization, { id }, freshAddress())

test('A26 signing in for another site leads to no other address than an allowed one', async () => {
  const sources = [...payloads, ...mixed(pick, fuzzed / 4, site.host, allowed)]
  report('sources of an authorization', sources.length, await lead(sources, (source) => authorize(source)))
  // What is allowed does lead there, with a ticket.
  expect((await authorize(`https://${allowed}/back?a=1`)).data).toMatch(
    /^https:\/\/shop\.example\.com\/back\?a=1&authorize=/,
  )
})

test('A26 the state of a client stays one value in the return address it chose', async () => {
  const back = `https://${allowed}/back?a=1#here`
  const states = payloads.filter((_, index) => index % few(1, 2) === 0)
  const answers = await together(states.length, 32, async (index) => {
    const state = states[index] ?? ''
    const { data, code } = await authorize(back, state)
    if (typeof data !== 'string') return code === 'INPUT_INVALID' ? [] : [`${JSON.stringify(state)}: ${code}`]
    const { origin, pathname, searchParams, hash } = new URL(data)
    const whole = [origin, pathname, searchParams.get('a'), hash].join(' ') === `https://${allowed} /back 1 #here`
    return whole && searchParams.get('state') === state ? [] : [`${JSON.stringify(state)} → ${data}`]
  })
  for (const line of answers.flat().slice(0, 10)) console.log(`A26: ${line}`)
  figure('escapes: values carried along', answers.flat().length, ['=', 0])
})

/** PostgreSQL keeps no NUL. */
const storable = (source: string) => !source.includes('\u0000')

test('A26 a hostile source that has got into the store is refused where it is used', async () => {
  const sources = payloads.filter(storable).filter((_, index) => index % few(1, 2) === 0)
  const answers = await lead(sources, async (source) => {
    const id = newSecret()
    await t.deps.pool.query(
      "INSERT INTO authorize_request (site_id, hash, source, expires_at) VALUES ($1, $2, $3, now() + interval '1 minute')",
      [site.id, sha256(id), source],
    )
    return await bindTo(id)
  })
  report('stored sources of an authorization', sources.length, answers)
})

const wechat = inject('environment').HUFU_WECHAT_OPEN_URL ?? ''

/** Opens an address as a link of our own pages does; where it leads to. */
async function follow(browser: Browser, path: string, query: Record<string, string>): Promise<Answer> {
  const address = `${path}?${new URLSearchParams(query)}`
  const { headers, status } = await browser.get(address, { 'x-forwarded-for': freshAddress() })
  return { data: headers.location, status }
}

const awayFromBoth = (answer: string) =>
  URL.canParse(answer) && new URL(answer).origin === wechat ? undefined : awayOf(answer)

test('A26 no navigation leads anywhere but to our pages, allowed origins and WeChat itself', async () => {
  let met = 0
  const all = { escaped: [] as string[], kept: 0 }
  for (const { path } of allNavigations) {
    if ((await user.get(path)).status === 404) continue
    met++
    const sources = payloads.filter((_, index) => index % few(2, 4) === met % few(2, 4))
    const answers = await lead(
      sources,
      async (source) => {
        const { data: ticket = '' } = await user.call(wechatTicket, {}, freshAddress())
        return await follow(user, path, { source, ticket, state: source.slice(0, 128), code: 'x', tap: '1' })
      },
      awayFromBoth,
    )
    all.escaped.push(...answers.escaped.map((line) => `${path} ${line}`))
    all.kept += answers.kept
  }
  report(`sources of ${met} navigations`, met, all)
  expect(met).toBe(allNavigations.length)
})

/** WeChat confirms a user, and the browser returns. */
async function comeBack(browser: Browser, { data }: Answer, tamper?: string): Promise<Answer> {
  const back = await returnFromWechat(String(data), 'lin')
  const state = back.searchParams.get('state') ?? ''
  if (tamper !== undefined) {
    const set =
      "UPDATE wechat_ticket SET detail = jsonb_set(detail, '{source}', to_jsonb($3::text)) WHERE site_id = $1 AND hash = $2"
    await t.deps.pool.query(set, [site.id, sha256(state), tamper])
  }
  return await follow(browser, back.pathname, Object.fromEntries(back.searchParams))
}

/** The sign-in page itself where WeChat's answer didn't suffice; else as of any source. */
function strayed(answer: string): string | undefined {
  const [page, source] = /^\/login(?:\/([^/?]+))?\?wechat=\w+$/.exec(answer) ?? []
  if (page === undefined) return escapeOf(answer)
  return source === undefined ? undefined : escapeOf(decodeURIComponent(source))
}

test('A26 the redirect back from WeChat leads to no hostile source, neither a given one nor a stored one', async () => {
  const { data: ticket = '' } = await user.call(wechatTicket, {})
  const bound = await comeBack(user, await follow(user, bindWechat.path, { source: '/user/theme', ticket }))
  expect(bound.data).toBe('/user/theme')
  const sources = payloads.filter(storable).filter((_, index) => index % few(2, 4) === 0)
  const given = await lead(
    sources,
    async (source) => {
      const browser = t.browser(site, inWechat)
      return await comeBack(browser, await follow(browser, wechatLogin.path, { source }))
    },
    strayed,
  )
  report('sources taken to WeChat and back', sources.length, given)
  const stored = await lead(
    sources,
    async (source) => {
      const browser = t.browser(site, inWechat)
      return await comeBack(browser, await follow(browser, wechatLogin.path, { source: '/user' }), source)
    },
    strayed,
  )
  report('stored sources of a way back from WeChat', sources.length, stored)
})
