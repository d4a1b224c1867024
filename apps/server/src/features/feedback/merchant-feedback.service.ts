import type { FeedbackItem, FeedbackPerson } from '@hufu/contract/feedback'
import { previewOf } from '@hufu/contract/feedback-rules'
import { AppError } from '../../platform/app-error.ts'
import { isUuid, type UserId } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'
import { readUser } from '../../shared/sessions/sessions.store.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { shownMobile } from '../../shared/users/masked.ts'
import { parseAccount } from '../users/login-names.ts'
import { findOwner } from '../users/users.store.ts'
import { itemFor } from './feedback.service.ts'
import { ownerOf } from './feedback.store.ts'
import {
  type FeedbackRow,
  listOfSite,
  listOfUser,
  type Part,
  readDevices,
  readFeedback,
  type Wanted,
} from './feedback-lists.store.ts'

type Needs = Pick<Deps, 'db'>

const itemOf = (site: Site, row: FeedbackRow) => itemFor('merchant', row, shownMobile(site, row.mobile))

/** Every id that begins with these hexadecimal digits. */
function idsFrom(typed: string): [string, string] | undefined {
  const digits = typed.toLowerCase().replaceAll('-', '')
  if (!/^[0-9a-f]{6,32}$/.test(digits)) return undefined
  const whole = (fill: string) => digits.padEnd(32, fill).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return [whole('0'), whole('f')]
}

/** A reference is six characters, a number has more; anything else finds nothing. */
async function searched(deps: Needs, site: Site, typed: string): Promise<Wanted | undefined> {
  const account = parseAccount(typed, site.login.regions)
  const owner = account?.kind === 'mobile' ? await findOwner(deps.db, site.id, 'mobile', account.value) : undefined
  if (owner) return { userId: owner.userId }
  const ids = idsFrom(typed)
  return ids && { ids }
}

export async function listForMerchant(
  deps: Needs,
  site: Site,
  { search, userId, ...wanted }: Omit<Wanted, 'userId'> & { search?: string | undefined; userId?: string | undefined },
): Promise<{ count: number; data: FeedbackItem[] }> {
  const found = search ? await searched(deps, site, search) : { userId: userId as UserId | undefined }
  if (!found) return { count: 0, data: [] }
  const { count, rows } = await listOfSite(deps.db, site.id, { ...wanted, ...found })
  return { count, data: rows.map((row) => itemOf(site, row)) }
}

export async function readForMerchant(
  deps: Needs,
  site: Site,
  { id, ...part }: Part & { id: string },
): Promise<FeedbackItem> {
  const row = await readFeedback(deps.db, site.id, id, part)
  if (!row) throw new AppError('NOT_FOUND')
  return itemOf(site, row)
}

/** The user of a conversation: where they sign in from, and what they wrote before. */
export async function readFeedbackUser(deps: Needs, site: Site, id: string): Promise<FeedbackPerson> {
  const userId = isUuid(id) ? await ownerOf(deps.db, site.id, id) : undefined
  const user = userId && (await readUser(deps.db, site.id, userId))
  if (!user) throw new AppError('NOT_FOUND')
  const [devices, earlier] = await Promise.all([
    readDevices(deps.db, site.id, user.id),
    listOfUser(deps.db, site.id, user.id, { brief: true }),
  ])
  return {
    id: user.id,
    nickname: user.nickname ?? user.wechatNickname,
    mobile: shownMobile(site, user.mobile),
    avatar: user.avatar && user.avatarTime !== null ? `/api/avatar?id=${user.id}&t=${user.avatarTime}` : null,
    since: devices.since,
    devices: devices.list,
    earlier: earlier.rows
      .filter((row) => row.id !== id)
      .slice(0, 10)
      .map(({ id: other, status, time, content }) => ({ id: other, status, time, preview: lastMessage(content) })),
  }
}

const lastMessage = (content: string) => previewOf((JSON.parse(content) as { message: string }[])[0]?.message ?? '')
