import { randomUUID } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { bindAuthorization, exchangeTicket } from '@hufu/contract/authorize'
import { listDevices, removeDevice } from '@hufu/contract/devices'
import type { Endpoint } from '@hufu/contract/endpoint'
import {
  addPasskey,
  loginByFactor,
  loginByPasskey,
  readFactorTicket,
  removePasskey,
  renamePasskey,
} from '@hufu/contract/factors'
import {
  addPicture,
  addReplyPicture,
  confirmFeedback,
  feedbackPerson,
  listFeedback,
  listMerchantFeedback,
  rateFeedback,
  readFeedback,
  readMerchantFeedback,
  replyFeedback,
  seeFeedback,
  seeMerchantFeedback,
  sendFeedback,
  setFeedbackStatus,
} from '@hufu/contract/feedback'
import {
  addNote,
  answering,
  listNotes,
  listReplies,
  removeNote,
  removeReply,
  saveReply,
} from '@hufu/contract/feedback-desk'
import { feedbackPicturePath } from '@hufu/contract/feedback-rules'
import { confirmLogin, sendConfirmCode } from '@hufu/contract/login'
import { addLogo, openConfig, restoreConfig } from '@hufu/contract/merchant-config'
import { exportFilePath } from '@hufu/contract/merchant-rights'
import {
  cancelUserRecovery,
  exportUsers,
  readUser,
  releaseMobile,
  resetOperatorFactors,
  revealUser,
  setUserRights,
  setUserStatus,
  signOutUser,
  userDevices,
  userExports,
  userSecurityLog,
} from '@hufu/contract/merchant-users'
import { sendWechatMessage } from '@hufu/contract/merchant-wechat'
import { answerInteraction, confirmLogout, readInteraction, readLogout } from '@hufu/contract/oidc'
import { queryOperatorLog } from '@hufu/contract/operators'
import { dataExports } from '@hufu/contract/personal-data'
import { dataFilePath } from '@hufu/contract/personal-data-rules'
import { changeAvatar, userInfo } from '@hufu/contract/profile'
import {
  finishFactorRecovery,
  finishRecovery,
  proveRecovery,
  sendRecoveryEmailCode,
  sendRecoveryMobileCode,
  startRecovery,
  stopNoticedRecovery,
  undoByRecovery,
} from '@hufu/contract/recovery'
import { checkScanRequest, processScanRequest } from '@hufu/contract/scan-login'
import { disownNoticedSignIn, disownSignIn, readNoticedSignIn } from '@hufu/contract/security'
import { verifyTwoFactor } from '@hufu/contract/two-factor'
import { applyUndo, readUndo, sendUndoCode } from '@hufu/contract/undo'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sessionOf, type TestSite } from '../../apps/server/test/test-app.ts'
import { newWechat } from '../../apps/server/test/wechat-phone.ts'
import { figure } from '../harness/assert-figure.ts'
import { callerOf } from '../harness/callers.ts'
import { type Browser, type CallResponse, type Harness, openHarness } from '../harness/harness.ts'
import { alike, reportAlike } from './alike.ts'
import { allEndpoints, fieldsOf } from './samples.ts'
import { dataOf, photo, upload } from './uploads.ts'

let t: Harness
let site: TestSite
let elsewhere: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite({ wechat: await newWechat() })
  elsewhere = await t.codeSite()
})
afterAll(() => t.close())

/** Calls that take the id of something: a user's own, or a request, ticket or link that only its holders know of. */
const covered: string[] = [
  removeDevice.path,
  disownSignIn.path,
  bindAuthorization.path,
  checkScanRequest.path,
  processScanRequest.path,
  sendWechatMessage.path,
  readFeedback.path,
  sendFeedback.path,
  confirmFeedback.path,
  rateFeedback.path,
  seeFeedback.path,
  readMerchantFeedback.path,
  feedbackPerson.path,
  replyFeedback.path,
  setFeedbackStatus.path,
  seeMerchantFeedback.path,
  listNotes.path,
  addNote.path,
  removeNote.path,
  answering.path,
  saveReply.path,
  removeReply.path,
  readUser.path,
  revealUser.path,
  userDevices.path,
  userSecurityLog.path,
  setUserStatus.path,
  signOutUser.path,
  releaseMobile.path,
  cancelUserRecovery.path,
  setUserRights.path,
  resetOperatorFactors.path,
  // Passkeys and the second step: a22-foreign-factors.test.ts.
  renamePasskey.path,
  removePasskey.path,
  addPasskey.path,
  loginByPasskey.path,
  loginByFactor.path,
  readFactorTicket.path,
  verifyTwoFactor.path,
  finishFactorRecovery.path,
  queryOperatorLog.path,
  // Where a page of a list goes on from: another user's id is only a position in the order.
  listFeedback.path,
  listMerchantFeedback.path,
  confirmLogin.path,
  sendConfirmCode.path,
  exchangeTicket.path,
  // Of a browser and a session: A56 asks for them from others.
  readInteraction.path,
  answerInteraction.path,
  readLogout.path,
  confirmLogout.path,
  readNoticedSignIn.path,
  disownNoticedSignIn.path,
  stopNoticedRecovery.path,
  sendRecoveryEmailCode.path,
  proveRecovery.path,
  startRecovery.path,
  sendRecoveryMobileCode.path,
  finishRecovery.path,
  undoByRecovery.path,
  readUndo.path,
  sendUndoCode.path,
  applyUndo.path,
  openConfig.path,
  restoreConfig.path,
]

/** Fields that name something that a user owns. Agreements have a version too, but everyone may read their text. */
const names = /(^|\.)(id|userId|person|operator|note|pictures|ticket|token|version)$/
const ownless = ['/api/user/agreements/agree']

/** Whatever a browser fetches by address: pictures and downloads, each with a test here. */
const filesMet = [
  'feedback/pictures.routes.ts',
  'merchant-users/user-export.routes.ts',
  'personal-data/data-export.routes.ts',
  'profile/avatar.routes.ts',
  'site/site-pictures.routes.ts',
]

test('A22 every call that takes an id and every file is covered', () => {
  const takesId = allEndpoints.filter((endpoint) => fieldsOf(endpoint).some((field) => names.test(field)))
  expect(takesId.map(({ path }) => path).sort()).toEqual([...covered, ...ownless].sort())
  const features = join(import.meta.dirname, '../../apps/server/src/features')
  const files = globSync('**/*.ts', { cwd: features })
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) => /\bapp\.get\(/.test(readFileSync(join(features, file), 'utf8')))
  expect(files.sort()).toEqual(filesMet)
  figure('calls and files that take an id', covered.length + files.length, ['>=', 50])
})

test("A22 another user's session, one of another site, an ended one and none at all are refused alike", async () => {
  const me = await t.session(site, (await t.user(site)).id)
  const other = await t.session(site, (await t.user(site)).id)
  const abroad = await t.session(elsewhere, (await t.user(elsewhere)).id)
  const ids = [sessionOf(other), sessionOf(abroad), other.id, randomUUID()]
  const replies = []
  for (const id of ids) replies.push(await me.call(removeDevice, { id }))
  expect(alike(replies)).toBe('404 NOT_FOUND')
  expect((await other.call(userInfo)).status).toBe(200)
  expect((await abroad.call(userInfo)).status).toBe(200)
})

test("A22 another user's sign-in, one of another site and none at all are refused alike: nothing is disowned", async () => {
  const me = await t.session(site, (await t.user(site)).id)
  const other = await t.session(site, (await t.user(site)).id)
  const abroad = await t.session(elsewhere, (await t.user(elsewhere)).id)
  const replies = []
  for (const id of [sessionOf(other), sessionOf(abroad), other.id, randomUUID()])
    replies.push(await me.call(disownSignIn, { id }))
  expect(alike(replies)).toBe('404 NOT_FOUND')
  for (const browser of [other, abroad]) expect((await browser.call(userInfo)).status).toBe(200)
})

test('A22 an operator does not find a user of another site', async () => {
  const operator = await callerOf(t, 'merchantWrite', site)
  const abroad = await t.user(elsewhere, { password: undefined })
  const message = { templateId: 'x', params: {} }
  const replies = []
  for (const userId of [abroad.id, abroad.id.slice(0, 8), randomUUID()])
    replies.push(await operator.call(sendWechatMessage, { ...message, userId }))
  expect(replies[0]?.code).toBe('USER_UNKNOWN')
  alike(replies)
})

test('A22 a list holds the own rows alone', async () => {
  const [mine, theirs] = [await t.user(site), await t.user(site)]
  const [one, two] = [await t.session(site, mine.id), await t.session(site, mine.id)]
  await t.session(site, theirs.id)
  const { data } = await one.call(listDevices, {})
  expect(data?.data.map(({ id }) => id).sort()).toEqual([sessionOf(one), sessionOf(two)].sort())
})

type Call = (id: string) => Promise<CallResponse<unknown>>

test('A22 conversations of another user, of another site and none at all are refused alike, to users and operators', async () => {
  const me = await t.session(site, (await t.user(site)).id)
  const other = await t.session(site, (await t.user(site)).id)
  const abroad = await t.session(elsewhere, (await t.user(elsewhere)).id)
  const mine = (await me.call(sendFeedback, { message: '我的' })).data?.id ?? ''
  const theirs = (await other.call(sendFeedback, { message: '别人的' })).data?.id ?? ''
  const foreign = (await abroad.call(sendFeedback, { message: '别站的' })).data?.id ?? ''
  const mineCalls: Call[] = [
    (id: string) => me.call(readFeedback, { id }),
    (id: string) => me.call(sendFeedback, { id, message: '插话' }),
    (id: string) => me.call(confirmFeedback, { id }),
    (id: string) => me.call(rateFeedback, { id, score: 1 }),
    (id: string) => me.call(seeFeedback, { id, seq: 1 }),
  ]
  for (const call of mineCalls)
    expect(alike(await Promise.all([theirs, foreign, randomUUID()].map(call)))).toBe('404 NOT_FOUND')
  const operator = await callerOf(t, 'merchantWrite', site)
  const operatorCalls: Call[] = [
    (id: string) => operator.call(readMerchantFeedback, { id }),
    (id: string) => operator.call(feedbackPerson, { id }),
    (id: string) => operator.call(replyFeedback, { id, message: '回复' }),
    (id: string) => operator.call(setFeedbackStatus, { id, status: 1 }),
    (id: string) => operator.call(seeMerchantFeedback, { id, seq: 1 }),
    (id: string) => operator.call(listNotes, { id }),
    (id: string) => operator.call(addNote, { id, text: '备注', key: randomUUID() }),
    (id: string) => operator.call(answering, { id, writing: true }),
  ]
  for (const call of operatorCalls)
    expect(alike(await Promise.all([foreign, randomUUID()].map(call)))).toBe('404 NOT_FOUND')
  const past = { time: Date.now() + 60_000, id: theirs }
  expect((await me.call(listFeedback, { before: past })).data?.data.map(({ id }) => id)).toEqual([mine])
  const byUser = [abroad.id, randomUUID()].map((userId) => operator.call(listMerchantFeedback, { userId }))
  alike(await Promise.all(byUser))
  const seen = (await operator.call(listMerchantFeedback, { before: { ...past, id: foreign } })).data?.data ?? []
  expect(seen.map(({ id }) => id).sort()).toEqual([mine, theirs].sort())
  expect((await abroad.call(readFeedback, { id: foreign })).data?.lastSeq).toBe(1)
})

/** A picture that is in no message yet. */
async function loose(at: TestSite, by: Browser, to: Endpoint = addPicture): Promise<string> {
  return dataOf<{ id: string }>(await upload(at, by, to, await photo())).id
}

test('A22 pictures of another user, of another site and none at all are refused alike: neither sent nor fetched', async () => {
  const [me, other] = [await t.session(site, (await t.user(site)).id), await t.session(site, (await t.user(site)).id)]
  const abroad = await t.session(elsewhere, (await t.user(elsewhere)).id)
  const operator = await callerOf(t, 'merchantWrite', site)
  const used = await loose(site, other)
  await other.call(sendFeedback, { message: '', pictures: [used] })
  const foreign = [used, await loose(site, other), await loose(elsewhere, abroad), randomUUID(), me.id]
  const id = (await me.call(sendFeedback, { message: '我的' })).data?.id ?? ''
  const own = await loose(site, me)
  const sends: Call[] = [
    (picture) => me.call(sendFeedback, { id, message: '', pictures: [picture] }),
    (picture) => me.call(sendFeedback, { id, message: '', pictures: [own, picture] }),
    (picture) => me.call(sendFeedback, { message: '新的', pictures: [picture] }),
    (picture) => operator.call(replyFeedback, { id, message: '回复', pictures: [picture] }),
  ]
  for (const send of sends) expect(alike(await Promise.all(foreign.map(send)))).toBe('409 PICTURE_GONE')
  const [reply, unsent] = [await loose(site, operator, addReplyPicture), await loose(site, me)]
  const fetched = [
    ...(await Promise.all([...foreign, reply].map((picture) => me.get(feedbackPicturePath(picture))))),
    ...(await Promise.all([unsent, foreign[2] ?? ''].map((picture) => operator.get(feedbackPicturePath(picture))))),
    await abroad.get(feedbackPicturePath(used)),
    await me.get(feedbackPicturePath('..%2F..%2Fetc%2Fpasswd')),
  ]
  expect(alike(fetched)).toBe('404 NOT_FOUND')
  expect((await me.call(readFeedback, { id })).data?.lastSeq).toBe(1)
  expect((await me.call(listFeedback)).data?.count).toBe(1)
  for (const [by, picture] of [
    [me, own],
    [other, used],
    [operator, used],
  ] as const)
    expect((await by.get(feedbackPicturePath(picture))).status).toBe(200)
})

test("A22 another site's logo and whatever else is kept under an id are no pictures of this site", async () => {
  const admin = await callerOf(t, 'merchantAdmin', site)
  const { path } = dataOf<{ path: string }>(await upload(site, admin, addLogo, await photo()))
  expect((await t.browser(site).get(path)).status).toBe(200)
  await upload(site, admin, changeAvatar, await photo())
  const { rows } = await t.deps.pool.query('SELECT id FROM blob WHERE owner_id = $1', [admin.id])
  const at = (id: string) => path.replace(/[^=]*$/, id)
  const replies = [
    await t.browser(elsewhere).get(path),
    await t.browser(site).get(at(rows[0].id)),
    await t.browser(site).get(at(await archiveOf(site, admin.id ?? ''))),
    await t.browser(site).get(at(await loose(site, admin))),
    await t.browser(site).get(at(randomUUID())),
  ]
  expect(alike(replies)).toBe('404 NOT_FOUND')
})

test('A22 the picture of a user of another site is not found, nor of a user without one, nor of an unknown user', async () => {
  const [here, there] = [await callerOf(t, 'user', site), await callerOf(t, 'user', elsewhere)]
  for (const [at, by] of [
    [site, here],
    [elsewhere, there],
  ] as const)
    expect((await upload(at, by, changeAvatar, await photo())).status).toBe(200)
  const bare = await t.user(site, { password: undefined })
  const strange = [there.id ?? '', bare.id, randomUUID(), '..%2F..%2Fetc%2Fpasswd']
  const replies = await Promise.all(strange.map((id) => here.get(`/api/avatar?id=${id}`)))
  expect(alike(replies)).toBe('404 NOT_FOUND')
  expect((await here.get(`/api/avatar?id=${here.id}`)).status).toBe(200)
})

test('A22 notes and ready answers of another site are neither read, changed nor removed', async () => {
  const [here, there] = [await callerOf(t, 'merchantWrite', site), await callerOf(t, 'merchantWrite', elsewhere)]
  const begin = async (at: TestSite) =>
    (await (await t.session(at, (await t.user(at)).id)).call(sendFeedback, { message: '你好' })).data?.id ?? ''
  const [mine, foreign] = [await begin(site), await begin(elsewhere)]
  const note = (await there.call(addNote, { id: foreign, text: '别站的备注', key: randomUUID() })).data
  const reply = (await there.call(saveReply, { title: '别站', text: '别站的回复' })).data
  const removals = [
    await here.call(removeNote, { id: foreign, note: note?.id ?? '' }),
    await here.call(removeNote, { id: mine, note: note?.id ?? '' }),
    await here.call(removeNote, { id: mine, note: randomUUID() }),
    await here.call(removeNote, { id: randomUUID(), note: randomUUID() }),
    ...(await Promise.all([reply?.id ?? '', randomUUID()].map((id) => here.call(removeReply, { id })))),
    ...(await Promise.all(
      [reply?.id ?? '', randomUUID()].map((id) => here.call(saveReply, { id, title: '改', text: '改' })),
    )),
  ]
  expect(alike(removals)).toBe('404 NOT_FOUND')
  // The key of a note that is there already leads to no note but the own one.
  const same = await here.call(addNote, { id: mine, text: '我的备注', key: note?.id ?? '' })
  expect(same.data?.text).toBe('我的备注')
  expect((await there.call(listNotes, { id: foreign })).data).toEqual([note])
  expect((await there.call(listReplies)).data).toEqual([reply])
  expect((await here.call(listReplies)).data).toEqual([])
})

test('A22 an operator finds no users of another site: their page, their devices, every change', async () => {
  const operator = await callerOf(t, 'merchantAdmin', site)
  const abroad = await t.session(elsewhere, (await t.user(elsewhere)).id)
  const calls: Call[] = [
    (id) => operator.call(readUser, { id }),
    (id) => operator.call(revealUser, { id, field: 'mobile' }),
    (id) => operator.call(userDevices, { id }),
    (id) => operator.call(userSecurityLog, { id }),
    (id) => operator.call(setUserStatus, { id, status: 'disabled' }),
    (id) => operator.call(signOutUser, { id }),
    (id) => operator.call(releaseMobile, { id, reason: '别站的人' }),
    (id) => operator.call(cancelUserRecovery, { id, reason: '别站的人' }),
    (id) => operator.call(setUserRights, { id, actions: ['ADMIN'] }),
    (id) => operator.call(resetOperatorFactors, { id, reason: '别站的人' }),
  ]
  for (const call of calls)
    expect(alike(await Promise.all([abroad.id, sessionOf(abroad), randomUUID()].map(call)))).toBe('404 NOT_FOUND')
  expect((await abroad.call(userInfo)).data?.permission).toEqual({})
})

test("A22 the log of one site shows nothing of another's users and operators", async () => {
  const here = await callerOf(t, 'merchantAdmin', site)
  const there = await callerOf(t, 'merchantAdmin', elsewhere)
  const abroad = await t.user(elsewhere)
  await there.call(readUser, { id: abroad.id })
  const asked = [
    { person: abroad.id },
    { operator: there.id },
    { person: abroad.id.slice(0, 8) },
    { person: randomUUID() },
  ]
  const replies = []
  for (const wanted of asked) replies.push(await here.call(queryOperatorLog, wanted))
  expect(alike(replies)).toBe('200 undefined')
  expect(replies[0]?.data?.data).toEqual([])
  expect((await there.call(queryOperatorLog, { person: abroad.id })).data?.count).toBeGreaterThan(0)
})

/** As if a worker had written it. */
async function finish(id: string): Promise<void> {
  const { pool } = t.deps
  await pool.query(
    "UPDATE user_export SET status = 'done', parts = 1, expires_at = now() + interval '1 hour' WHERE id = $1",
    [id],
  )
  await pool.query('INSERT INTO user_export_part (site_id, export_id, number, bytes) VALUES ($1, $2, 0, $3)', [
    site.id,
    id,
    gzipSync('id\n'),
  ])
}

test('A22 the file of an export is only for the operator who requested it: not found for others, on other sites and by guessing', async () => {
  const own = await callerOf(t, 'merchantAdmin', site)
  const { data, code } = await own.call(exportUsers, {})
  if (!data) throw new Error(`no export: ${code}`)
  await finish(data.id)
  const file = (id: string) => `${exportFilePath}?id=${id}`
  expect((await own.get(file(data.id))).status).toBe(200)
  const another = await callerOf(t, 'merchantAdmin', site)
  const abroad = await callerOf(t, 'merchantAdmin', elsewhere)
  expect((await another.call(userExports)).data?.data).toEqual([])
  const replies = [
    await another.get(file(data.id)),
    await abroad.get(file(data.id)),
    await own.get(file(randomUUID())),
    await own.get(file(own.id ?? '')),
    await own.get(file('..%2F..%2Fetc%2Fpasswd')),
    await own.get(exportFilePath),
    await own.get(`${file(data.id)}&id=${randomUUID()}`),
  ]
  expect(alike(replies)).toBe('404 NOT_FOUND')
})

/** As if a worker had packed it. */
async function archiveOf(at: TestSite, userId: string): Promise<string> {
  const id = randomUUID()
  const { pool } = t.deps
  await pool.query(
    `INSERT INTO data_export (site_id, user_id, id, status, done, total, expires_at)
      VALUES ($1, $2, $3, 'done', 1, 1, now() + interval '1 hour')`,
    [at.id, userId, id],
  )
  await pool.query(
    "INSERT INTO blob (site_id, id, owner_id, kind, type, bytes) VALUES ($1, $2, $3, 'export', 'application/zip', 'PK')",
    [at.id, id, userId],
  )
  return id
}

test('A22 an archive of personal data is only for its user: not found for others, on other sites and by guessing', async () => {
  const [own, another] = [await callerOf(t, 'steppedUp', site), await callerOf(t, 'merchantAdmin', site)]
  const abroad = await callerOf(t, 'steppedUp', elsewhere)
  const id = await archiveOf(site, own.id ?? '')
  const file = (of: string) => `${dataFilePath}?id=${of}`
  expect((await own.get(file(id))).status).toBe(200)
  expect((await another.call(dataExports)).data?.data).toEqual([])
  const replies = [
    await another.get(file(id)),
    await abroad.get(file(id)),
    await own.get(file(await archiveOf(elsewhere, abroad.id ?? ''))),
    await own.get(file(await archiveOf(site, another.id ?? ''))),
    await own.get(file(randomUUID())),
    await own.get(file('..%2F..%2Fetc%2Fpasswd')),
    await own.get(dataFilePath),
  ]
  expect(alike(replies)).toBe('404 NOT_FOUND')
  reportAlike('foreign ids and files', 130)
})
