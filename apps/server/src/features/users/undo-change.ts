import type { SessionId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import { deleteFactorsSince } from '../../shared/factors/factors.store.ts'
import { forgetBrowsersBut } from '../../shared/sessions/known-browsers.store.ts'
import { endAllSessions } from '../../shared/sessions/sessions.store.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { withoutStepUp } from '../../shared/step-up/authority.ts'
import { queueNotice } from './account-change-notices.ts'
import { type AccountChange, markUndone, readSnapshot, type Snapshot } from './account-changes.store.ts'
import { endRecovery } from './recovery.store.ts'
import { giveName, setPassword, showNames, showWechatName, takeName } from './users.store.ts'

export interface Undoing {
  change: AccountChange
  /** The hash of the new password. */
  secret: string
  address: string
  browserHash: Buffer
  now: number
}

const by = withoutStepUp('undo')

/**
 * Restores an account to before a change, within a transaction that holds its lock: its former names lead to it again,
 * later ones don't, every session ends, and a new password is in force. A former name that another account has by now
 * stays there. Answers the sessions that ended.
 */
export async function undoChange(
  tx: Db,
  site: Site,
  { change, secret, address, browserHash, now }: Undoing,
): Promise<SessionId[]> {
  const { userId, former, id } = change
  const { former: present } = await readSnapshot(tx, site.id, userId)
  const has = ({ names }: Snapshot, wanted: Snapshot['names'][number]) =>
    names.some(({ kind, value }) => kind === wanted.kind && value === wanted.value)
  for (const name of present.names)
    if (!has(former, name)) await takeName(tx, by, site.id, userId, name.kind, name.value)
  const lost: string[] = []
  for (const name of former.names) {
    if (has(present, name)) continue
    if (!(await giveName(tx, by, site.id, userId, name.kind, name.value))) lost.push(name.kind)
  }
  await show(tx, site, change, lost)
  await setPassword(tx, by, site.id, userId, secret)
  // A thief's factor would keep the owner out. None is added again, and factors from before stay.
  await deleteFactorsSince(tx, by, site.id, userId, id)
  const ended = await endAllSessions(tx, site.id, userId, 'undo')
  // After a takeover no browser is trusted but the one in which the owner undoes it.
  await forgetBrowsersBut(tx, site.id, userId, browserHash)
  await endRecovery(tx, site.id, userId)
  await markUndone(tx, site.id, userId, id)
  await recordSecurity(tx, site.id, { event: 'account.undo', userId, address })
  await queueNotice(tx, site, former, 'undone', now)
  return ended
}

/** The account shows the names that lead to it. */
async function show(tx: Db, site: Site, { userId, former }: AccountChange, lost: string[]): Promise<void> {
  const { mobilePrefix, mobile, email, username, wechatOpenId, wechatNickname } = former
  const hasMobile = !lost.includes('mobile')
  await showNames(tx, by, site.id, userId, {
    mobilePrefix: hasMobile ? mobilePrefix : null,
    mobile: hasMobile ? mobile : null,
    email: lost.includes('email') ? null : email,
    username: lost.includes('username') ? null : username,
  })
  const hasWechat = !lost.some((kind) => kind.startsWith('wechat.'))
  await showWechatName(tx, site.id, userId, hasWechat ? { wechatOpenId, wechatNickname } : undefined)
}
