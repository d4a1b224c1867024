import type { UndoableChange, UndoWay } from '@hufu/contract/undo'
import { AppError } from '../../platform/app-error.ts'
import { sha256 } from '../../platform/crypto/hash.ts'
import { checkPassword, hashPassword, requireTurn } from '../../platform/crypto/password-hash.ts'
import type { UserId } from '../../platform/ids.ts'
import { recordFailure } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Visitor } from '../../shared/sessions/begin-session.ts'
import { changeUser } from '../../shared/sessions/change-user.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { maskedMobile } from '../../shared/users/masked.ts'
import { type AccountChange, findChange, findLinked, listChanges } from '../users/account-changes.store.ts'
import { type Mobile, ownMobile } from '../users/login-names.ts'
import { refuseWeak, requireRule } from '../users/new-password.ts'
import { countRecoveryTry } from '../users/password-tries.ts'
import { undoChange } from '../users/undo-change.ts'
import { lockUser } from '../users/user.store.ts'
import { type RightCode, sendCode, spendCode, tryCode } from '../verify-code/verify-code.service.ts'

type Needs = Pick<
  Deps,
  | 'db'
  | 'redis'
  | 'cache'
  | 'config'
  | 'clock'
  | 'log'
  | 'breaker'
  | 'mailer'
  | 'usage'
  | 'deliveryFailures'
  | 'randomDelay'
>

/** One answer to every invalid link: wrong, of another site, expired, used. */
async function linkedChange({ db }: Pick<Deps, 'db'>, site: Site, token: string): Promise<AccountChange> {
  const linked = await findLinked(db, site.id, token)
  if (!linked) throw new AppError('NOTICE_EXPIRED')
  return linked
}

/** The identity proofs that the account had before the change, besides its mailbox. */
function waysOf({ former, formerSecret }: AccountChange): UndoWay[] {
  return [...(formerSecret === null ? [] : ['password' as const]), ...(former.mobile ? ['mobile' as const] : [])]
}

export async function readUndoable(deps: Pick<Deps, 'db'>, site: Site, token: string) {
  const linked = await linkedChange(deps, site, token)
  const changes = await listChanges(deps.db, site.id, linked.userId)
  return {
    changes: changes.map(
      (change): UndoableChange => ({
        id: change.id,
        kind: change.kind,
        time: change.time,
        noticed: change.id === linked.id,
        ways: waysOf(change),
        mobile: change.former.mobile && maskedMobile(change.former.mobile),
      }),
    ),
  }
}

interface Wanted {
  token: string
  from: string
}

/** Any change of the account may be the first that is undone: a link goes to the mailbox from before all of them. */
async function wantedChange(deps: Pick<Deps, 'db'>, site: Site, { token, from }: Wanted): Promise<AccountChange> {
  const { userId } = await linkedChange(deps, site, token)
  const change = await findChange(deps.db, site.id, userId, from)
  if (!change) throw new AppError('NOTICE_EXPIRED')
  return change
}

function mobileBefore({ former }: AccountChange): Mobile {
  const mobile = ownMobile(former)
  if (!mobile) throw new AppError('INPUT_INVALID', { field: 'code' })
  return mobile
}

/** Codes count with their link and in the browser that requested them. */
const markOf = (token: string, { browserHash }: Visitor) =>
  sha256(Buffer.concat([Buffer.from(`undo ${token} `), browserHash]))

export async function sendUndoCode(
  deps: Needs,
  site: Site,
  wanted: Wanted & { proof?: string | undefined },
  visitor: Visitor,
): Promise<{ retryAfter: number }> {
  const { address, bucket } = visitor
  const mobile = mobileBefore(await wantedChange(deps, site, wanted))
  return await sendCode(deps, site, {
    receiver: { kind: 'mobile', mobile, value: mobile.value },
    purpose: 'undo',
    address,
    bucket,
    browserHash: markOf(wanted.token, visitor),
    powSolution: wanted.proof,
    asker: 'own',
    send: true,
    wait: true,
  })
}

export interface Undo extends Wanted {
  password?: string | undefined
  code?: string | undefined
  newPassword: string
  proof?: string | undefined
}

/** The link proves the mailbox; the second proof is one that the account had before the change. */
export async function applyUndo(deps: Needs, site: Site, undo: Undo, visitor: Visitor): Promise<null> {
  const change = await wantedChange(deps, site, undo)
  requireRule(undo.newPassword)
  refuseWeak(undo.newPassword, change.former, [site.config.name ?? '', ...site.hosts])
  const code = await prove(deps, site, change, undo, visitor)
  const secret = await hashPassword(deps.config, undo.newPassword)
  const { userId } = change
  await changeUser(deps, site.id, userId, async (tx, ended) => {
    await lockUser(tx, site.id, userId)
    // Under the lock: of two at once, one finds it undone.
    if (!(await findChange(tx, site.id, userId, change.id))) throw new AppError('NOTICE_EXPIRED')
    if (code) await spendCode(tx, site.id, code)
    const { address, browserHash } = visitor
    ended(await undoChange(tx, site, { change, secret, address, browserHash, now: deps.clock.now() }))
  })
  return null
}

async function prove(
  deps: Needs,
  site: Site,
  change: AccountChange,
  { token, password, code, proof }: Undo,
  visitor: Visitor,
): Promise<RightCode | undefined> {
  if (code !== undefined) {
    const receiver = mobileBefore(change).value
    const { address } = visitor
    const asked = { receiver, purpose: 'undo' as const, browserHash: markOf(token, visitor), address }
    return await tryCode(deps, site, { ...asked, code, guesser: 'session' })
  }
  if (password === undefined || change.formerSecret === null) throw new AppError('INPUT_INVALID', { field: 'password' })
  await provePassword(deps, site, change.userId, { password, stored: change.formerSecret, proof }, visitor)
  return undefined
}

interface Typed {
  password: string
  stored: string
  proof: string | undefined
}

async function provePassword(
  deps: Needs,
  site: Site,
  userId: UserId,
  { password, stored, proof }: Typed,
  { bucket, address }: Visitor,
): Promise<void> {
  requireTurn(deps.config)
  await countRecoveryTry(deps, site, { account: userId, userId, known: false, bucket, powSolution: proof })
  if (await checkPassword(deps.config, password, stored)) return
  await recordFailure(deps.db, site.id, { event: 'undo.failed', userId, address })
  throw new AppError('PASSWORD_WRONG')
}
