import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { changeUsername } from '@hufu/contract/account'
import { beginPasskey, readFactorTicket } from '@hufu/contract/factors'
import { loginByPassword } from '@hufu/contract/login'
import { exportFilePath } from '@hufu/contract/merchant-rights'
import { resetOperatorFactors } from '@hufu/contract/merchant-users'
import { dataFilePath } from '@hufu/contract/personal-data-rules'
import { userInfo } from '@hufu/contract/profile'
import { sendRecoveryEmailCode, sendRecoveryMobileCode } from '@hufu/contract/recovery'
import { scanSeconds } from '@hufu/contract/scan-login-rules'
import { readNoticedSignIn } from '@hufu/contract/security'
import { merchantHome } from '@hufu/contract/statistics'
import { readUndo } from '@hufu/contract/undo'
import { bindWechat, wechatTicket } from '@hufu/contract/wechat'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sha256 } from '../../apps/server/src/platform/crypto/hash.ts'
import type { SessionId, UserId } from '../../apps/server/src/platform/ids.ts'
import { issueLink } from '../../apps/server/src/shared/notices/notice-links.store.ts'
import { enrol } from '../../apps/server/test/enrolled.ts'
import { oidcClients } from '../../apps/server/test/oidc.ts'
import { openTicket, readyTicket } from '../../apps/server/test/recovering.ts'
import { fresh, sessionOf, type TestSite } from '../../apps/server/test/test-app.ts'
import { newWechat } from '../../apps/server/test/wechat-phone.ts'
import { figure } from '../harness/assert-figure.ts'
import { callerOf } from '../harness/callers.ts'
import { type Harness, openHarness, password } from '../harness/harness.ts'
import * as oidc from '../harness/oidc.ts'
import { check, showCode } from '../harness/scan.ts'
import { passCheck } from './checks.ts'
import { ahead, endSoon, expectLife, tryAround } from './endings.ts'
import { changedAccount } from './undoing.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite({ wechat: await newWechat() })
})
afterAll(() => t.close())

const newSession = async () => await t.session(site, (await t.user(site, { password: undefined })).id)

test('A38 the ticket of a navigation and the link of a notice end on their second', async () => {
  await tryAround('tickets of navigations', '/user', async () => {
    const user = await newSession()
    const { data: ticket = '' } = await user.call(wechatTicket)
    return {
      end: () => endSoon(t, site, { table: 'wechat_ticket', where: 'hash = $2', values: [sha256(ticket)] }),
      async use() {
        const { location = '' } = (await user.get(`${bindWechat.path}?ticket=${ticket}`)).headers
        return location.includes('/connect/oauth2/authorize') ? 'in' : location
      },
    }
  })
  await tryAround('links of notices', 'NOTICE_EXPIRED', async () => {
    const user = await newSession()
    const noticed = { userId: user.id, subject: sessionOf(user) as SessionId, days: 7 }
    const token = (await issueLink(t.deps.db, site.id, { purpose: 'disown', ...noticed })) ?? ''
    return {
      end: () => endSoon(t, site, { table: 'notice_link', where: 'hash = $2', values: [sha256(token)] }),
      use: async () => (await t.browser(site).call(readNoticedSignIn, { token })).code ?? 'in',
    }
  })
  await tryAround('links that undo a change', 'NOTICE_EXPIRED', async () => {
    const { token } = await changedAccount(t, site)
    return {
      end: () => endSoon(t, site, { table: 'account_change', where: 'link_hash = $2', values: [sha256(token)] }),
      use: async () => (await t.browser(site).call(readUndo, { token })).code ?? 'in',
    }
  })
})

test('A38 the ticket of a recovery and its time to set a number end on their second', async () => {
  await tryAround('tickets of recoveries', 'RECOVERY_EXPIRED', async () => {
    const [browser, user] = [t.browser(site), await t.user(site)]
    const ticket = await openTicket(browser, user.username)
    return {
      end: () => endSoon(t, site, { table: 'recovery_ticket', where: 'ticket_hash = $2', values: [sha256(ticket)] }),
      use: async () => (await browser.call(sendRecoveryEmailCode, { ticket })).code ?? 'in',
    }
  })
  const ready = async () => {
    const [browser, user] = [t.browser(site), await t.user(site)]
    const ticket = await readyTicket(t, site, browser, user)
    const number = { mobilePrefix: '86', mobile: fresh.mobile() }
    const use = async () => (await browser.call(sendRecoveryMobileCode, { ticket, ...number })).code
    return { use, of: { table: 'recovery', where: 'user_id = $2', values: [user.id] } }
  }
  await tryAround('recoveries', 'RECOVERY_NONE', async () => {
    const { use, of } = await ready()
    return { end: () => endSoon(t, site, of), use: async () => (await use()) ?? 'in' }
  })
  // The other way round: before its time a number can't be set, and then it can.
  await tryAround('waits of recoveries', 'ready', async () => {
    const { use, of } = await ready()
    return {
      end: () => endSoon(t, site, { ...of, column: 'ready_at' }),
      use: async () => (await use())?.replace('RECOVERY_WAITING', 'in') ?? 'ready',
    }
  })
})

test('A38 files of exports and archives end on their second', async () => {
  const { pool } = t.deps
  await tryAround('lists of users', '404', async () => {
    const [own, id] = [await callerOf(t, 'merchantAdmin', site), randomUUID()]
    await pool.query(
      "INSERT INTO user_export (site_id, id, operator_id, wanted, status, parts, total, expires_at) VALUES ($1, $2, $3, '{}', 'done', 1, 1, now())",
      [site.id, id, own.id],
    )
    const part = 'INSERT INTO user_export_part (site_id, export_id, number, bytes) VALUES ($1, $2, 0, $3)'
    await pool.query(part, [site.id, id, gzipSync('id\n')])
    return {
      end: () => endSoon(t, site, { table: 'user_export', where: 'id = $2', values: [id] }),
      use: async () => String((await own.get(`${exportFilePath}?id=${id}`)).status).replace('200', 'in'),
    }
  })
  await tryAround('archives', '404', async () => {
    const [own, id] = [await callerOf(t, 'steppedUp', site), randomUUID()]
    const archive =
      "INSERT INTO data_export (site_id, user_id, id, status, done, total, expires_at) VALUES ($1, $2, $3, 'done', 1, 1, now())"
    await pool.query(archive, [site.id, own.id, id])
    const blob =
      "INSERT INTO blob (site_id, id, owner_id, kind, type, bytes) VALUES ($1, $2, $3, 'export', 'application/zip', 'PK')"
    await pool.query(blob, [site.id, id, own.id])
    return {
      end: () => endSoon(t, site, { table: 'data_export', where: 'id = $2', values: [id] }),
      use: async () => String((await own.get(`${dataFilePath}?id=${id}`)).status).replace('200', 'in'),
    }
  })
})

test('A38 an unused step-up and an unused session end on their second', async () => {
  await tryAround('checks', 'TWO_FACTOR_REQUIRED', async () => {
    const user = await callerOf(t, 'steppedUp', site)
    return {
      end: () =>
        endSoon(t, site, {
          table: 'session',
          where: 'id = $2',
          values: [sessionOf(user)],
          column: 'two_factor_at',
          life: '10 minutes',
        }),
      use: async () => (await user.call(changeUsername, { username: fresh.username() })).code ?? 'in',
    }
  })
  await tryAround('sessions unused for 30 days', 'NOT_LOGGED_IN', async () => {
    const user = await newSession()
    return {
      end: () =>
        endSoon(t, site, {
          table: 'session_access',
          where: 'session_id = $2',
          values: [sessionOf(user)],
          column: 'last_access',
          life: '30 days',
        }),
      use: async () => (await user.call(userInfo)).code ?? 'in',
    }
  })
})

/** An account with an authenticator, and the ticket of a browser that gave its password. */
async function secondStep(browser = t.browser(site)) {
  const user = await t.user(site)
  await enrol(t.deps, site.id, user.id)
  const begin = async () => await browser.call(loginByPassword, { account: user.username, password })
  return { user, browser, begin }
}

test('A38 the second step of a sign-in and the trust in a browser end on their second', async () => {
  await tryAround('tickets to the second step', 'FACTOR_EXPIRED', async () => {
    const { browser, begin } = await secondStep()
    const ticket = String((await begin()).details.ticket)
    return {
      end: () => endSoon(t, site, { table: 'factor_ticket', where: 'ticket_hash = $2', values: [sha256(ticket)] }),
      use: async () => (await browser.call(readFactorTicket, { ticket })).code ?? 'in',
    }
  })
  await tryAround('trust in browsers', 'FACTOR_REQUIRED', async () => {
    const { user, browser, begin } = await secondStep()
    await begin()
    const mark = sha256(browser.cookies.get('__Host-hufu-browser') ?? '')
    await t.deps.pool.query('INSERT INTO known_browser (site_id, user_id, cookie_hash) VALUES ($1, $2, $3)', [
      site.id,
      user.id,
      mark,
    ])
    const of = { table: 'known_browser', where: 'user_id = $2 AND cookie_hash = $3', values: [user.id, mark] }
    return {
      end: () => endSoon(t, site, { ...of, column: 'trusted_until' }),
      use: async () => (await begin()).code ?? 'in',
    }
  })
})

test("A38 an operator's factor and the code to enrol after a reset end on their second", async () => {
  await tryAround('factors of operators', 'TWO_FACTOR_REQUIRED', async () => {
    const operator = await callerOf(t, 'merchantRead', site)
    return {
      end: () =>
        endSoon(t, site, {
          table: 'session',
          where: 'id = $2',
          values: [sessionOf(operator)],
          column: 'factor_at',
          life: '12 hours',
        }),
      use: async () => (await operator.call(merchantHome)).code ?? 'in',
    }
  })
  const admin = await callerOf(t, 'merchantAdmin', site)
  await tryAround('codes to enrol', 'FACTOR_WRONG', async () => {
    const { id } = await callerOf(t, 'merchantRead', site)
    const { data } = await admin.call(resetOperatorFactors, { id: id ?? '', reason: '手机丢失' })
    const operator = await t.session(site, id as UserId)
    await t.deps.pool.query('UPDATE session SET two_factor_at = now() WHERE id = $1', [sessionOf(operator)])
    return {
      end: () => endSoon(t, site, { table: 'enrolment_ticket', where: 'user_id = $2', values: [id] }),
      use: async () => (await operator.call(beginPasskey, { enrolment: data?.enrolment ?? '' })).code ?? 'in',
    }
  })
})

test('A38 the secret of a session that a step-up has replaced ends on its second', async () => {
  await tryAround('replaced secrets of sessions', 'NOT_LOGGED_IN', async () => {
    const { id, mobile } = await t.user(site, { password: undefined })
    const user = await t.session(site, id)
    const old = t.browser(site)
    for (const [name, value] of user.cookies) old.cookies.set(name, value)
    await passCheck(t, site, user, mobile)
    expect(user.cookies.get('__Host-hufu')).not.toBe(old.cookies.get('__Host-hufu'))
    return {
      end: () =>
        endSoon(t, site, { table: 'session', where: 'id = $2', values: [sessionOf(user)], column: 'former_until' }),
      use: async () => (await old.call(userInfo)).code ?? 'in',
    }
  })
})

test('A38 a request to sign in by scanning ends on its second', async () => {
  await tryAround('requests to sign in by scanning', 'LOGIN_REQUEST_EXPIRED', async () => {
    const begun = performance.now()
    const waiting = await showCode(t, site)
    const key = `{scan:${site.id}:${waiting.request.id}}`
    expectLife(await t.deps.cache.pttl(key), scanSeconds * 1_000, begun)
    return {
      end: async () => void (await t.deps.cache.pexpire(key, ahead)),
      use: async () => (await check(waiting)).code ?? 'in',
    }
  })
})

test('A38 codes, access tokens and refresh tokens of OpenID Connect end on their second', async () => {
  const at = await t.codeSite({ clients: oidcClients })
  const endItem = (kind: string, id: string) =>
    endSoon(t, at, { table: 'oidc_item', where: 'kind = $2 AND hash = $3', values: [kind, sha256(id)] })
  const outcome = ({ status, json }: { status: number; json: { error?: string } }) =>
    status === 200 ? 'in' : (json.error ?? String(status))
  const newUser = async () => await t.session(at, (await t.user(at, { password: undefined })).id)
  await tryAround('codes of OpenID Connect', 'invalid_grant', async () => {
    const led = await oidc.authorize(await newUser())
    return {
      end: () => endItem('AuthorizationCode', led.code),
      use: async () => outcome(await oidc.exchange(at, led)),
    }
  })
  await tryAround('refresh tokens', 'invalid_grant', async () => {
    const { refresh_token = '' } = await oidc.tokensOf(at, await newUser())
    return {
      end: () => endItem('RefreshToken', refresh_token),
      use: async () => outcome(await oidc.refresh(at, refresh_token)),
    }
  })
  await tryAround('access tokens', 'invalid_token', async () => {
    const { access_token } = await oidc.tokensOf(at, await newUser())
    return {
      end: () => endItem('AccessToken', access_token),
      use: async () => outcome(await oidc.userinfo(at, access_token)),
    }
  })
})

test('A38 every expiry column is covered here or in another test', async () => {
  const { rows } = await t.deps.pool.query(
    `SELECT table_name || '.' || column_name AS place FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name ~ '(expires?|due|ready|until|ends?)(_at)?$' ORDER BY 1`,
  )
  const ends = rows.map(({ place }) => place as string)
  expect(ends).toEqual([
    'account_change.expires_at',
    'authorize_request.expires_at',
    'authorize_ticket.expires_at',
    'code.expires_at',
    'data_export.expires_at',
    'deletion.due_at',
    // While an operator holds an erasure; it neither ends nor starts a session.
    'deletion.held_until',
    // When a delivery is due, how long a worker holds an endpoint or lets it rest; features/webhooks and F17 meet them.
    'delivery.due_at',
    'endpoint.held_until',
    'endpoint.rest_until',
    'enrolment_ticket.expires_at',
    'factor_ticket.expires_at',
    // Answers to retries of machines, and who works on one; features/manage/users.test.ts meets both.
    'idempotent_answer.expires_at',
    'idempotent_answer.held_until',
    'known_browser.trusted_until',
    'login_confirm.expires_at',
    'notice_link.expires_at',
    'oidc_item.expires_at',
    'recovery.expires_at',
    'recovery.ready_at',
    'recovery_ticket.expires_at',
    // When a day's budget begins anew; shared/send-limits/send-counters.test.ts meets it.
    'send_budget.ends_at',
    'session.former_until',
    // A challenge carries its own end, which features/factors/prove-passkey.test.ts meets; this one is for the clean-up.
    'spent_challenge.expires_at',
    'user_export.expires_at',
    // Of proofs that don't count yet; two-factor/new-browser.test.ts meets their ends.
    'users.email_fresh_until',
    'users.password_fresh_until',
    'users.wechat_fresh_until',
    'wechat_ticket.expires_at',
  ])
  // Without the seven that are met elsewhere, with the four that have no column: a check, both of a session, a scan.
  figure('kinds of ends tried', ends.length, ['>=', 17])
})
