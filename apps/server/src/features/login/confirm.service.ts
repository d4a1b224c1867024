import type { ConfirmProof } from '@hufu/contract/login'
import { AppError } from '../../platform/app-error.ts'
import { sha256 } from '../../platform/crypto/hash.ts'
import { checkPassword, requireTurn } from '../../platform/crypto/password-hash.ts'
import { recordFailure, recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { queueMail } from '../../shared/notices/mail-notices.ts'
import {
  admit,
  beginSession,
  type Entered,
  refuseDisabled,
  type SignedIn,
  type Visitor,
} from '../../shared/sessions/begin-session.ts'
import { changeUser } from '../../shared/sessions/change-user.ts'
import { readUser } from '../../shared/sessions/sessions.store.ts'
import type { UserState } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { withoutStepUp } from '../../shared/step-up/authority.ts'
import { maskedEmail } from '../../shared/users/masked.ts'
import { ownMobile } from '../users/login-names.ts'
import { countPasswordTry } from '../users/password-tries.ts'
import { findPassword, holdPassword, noteIdentityProof, takeName } from '../users/users.store.ts'
import { type RightCode, sendCode, spendCode, tryCode } from '../verify-code/verify-code.service.ts'
import { countByCode, signUp } from './login.service.ts'
import { type Confirmation, clearMobile, spendConfirmation, useConfirmation } from './login.store.ts'

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

export interface Answer {
  ticket: string
  mine: boolean
  password?: string | undefined
  code?: string | undefined
  sure?: boolean | undefined
  proof?: string | undefined
}

/** The user's answer to whether a long unused number is still theirs. */
export async function confirmLogin(deps: Needs, site: Site, answer: Answer, visitor: Visitor): Promise<SignedIn> {
  const ticketHash = sha256(answer.ticket)
  const confirmation = await useConfirmation(deps.db, site.id, ticketHash, visitor.browserHash)
  if (!confirmation) throw new AppError('LOGIN_CONFIRM_EXPIRED')
  const entered = answer.mine
    ? await claim(deps, site, confirmation, ticketHash, answer, visitor)
    : await moveNumber(deps, site, confirmation, ticketHash, visitor)
  const signedIn = admit(entered)
  countByCode(deps, site, signedIn)
  return signedIn
}

/** The second proof: a code to be spent, or a password as it is stored. */
interface More {
  code?: RightCode
  stored?: string | undefined
}

/** 是我的账号: one more identity proof that the account has; without any, the masked nickname and a second yes. */
async function claim(
  deps: Needs,
  site: Site,
  { userId, mobile }: Confirmation,
  ticketHash: Buffer,
  answer: Answer,
  visitor: Visitor,
): Promise<Entered> {
  const user = await readUser(deps.db, site.id, userId)
  if (!user) throw new AppError('LOGIN_CONFIRM_EXPIRED')
  const { code, stored } = await proveMore(deps, site, user, answer, visitor)
  refuseDisabled(user)
  return await deps.db.transaction().execute(async (tx) => {
    if (!(await spendConfirmation(tx, site.id, ticketHash))) throw new AppError('LOGIN_CONFIRM_EXPIRED')
    if (code) await spendCode(tx, site.id, code)
    if (stored && !(await holdPassword(tx, site.id, userId, stored))) throw new AppError('LOGIN_FAILED')
    if (!(await noteIdentityProof(tx, site.id, userId, 'mobile', mobile))) throw new AppError('LOGIN_CONFIRM_EXPIRED')
    return { entered: await beginSession(tx, site, userId, visitor, 'mobile'), created: false }
  })
}

async function proveMore(deps: Needs, site: Site, user: UserState, answer: Answer, visitor: Visitor): Promise<More> {
  const proofs: ConfirmProof[] = [
    ...(user.password ? ['password' as const] : []),
    ...(user.email ? ['email' as const] : []),
    ...(user.wechatOpenId ? ['wechat' as const] : []),
  ]
  if (answer.password !== undefined && user.password) {
    requireTurn(deps.config)
    const attempt = {
      account: user.id,
      userId: user.id,
      known: false,
      bucket: visitor.bucket,
      powSolution: answer.proof,
    }
    await countPasswordTry(deps, site, attempt)
    const stored = await findPassword(deps.db, site.id, user.id)
    if (!(await checkPassword(deps.config, answer.password, stored))) {
      await recordFailure(deps.db, site.id, { event: 'login.failed', userId: user.id, address: visitor.address })
      throw new AppError('LOGIN_FAILED')
    }
    return { stored }
  }
  if (answer.code !== undefined && user.email) {
    const { browserHash, address, bucket } = visitor
    const asked = { receiver: user.email, purpose: 'confirm' as const, browserHash, address }
    const guesser = { known: async () => false, bucket, powSolution: answer.proof }
    return { code: await tryCode(deps, site, { ...asked, code: answer.code, guesser }) }
  }
  if (proofs.length === 0 && answer.sure) return {}
  throw new AppError('LOGIN_PROOF_NEEDED', {
    proofs,
    ...(user.email && { email: maskedEmail(user.email) }),
    ...(proofs.length === 0 && { nickname: maskNickname(user.nickname ?? user.wechatNickname) }),
  })
}

/** 不是我的账号: the number begins a new account; the old one keeps its other login names and is notified. */
async function moveNumber(
  deps: Needs,
  site: Site,
  { userId, mobile }: Confirmation,
  ticketHash: Buffer,
  visitor: Visitor,
): Promise<Entered> {
  const former = await readUser(deps.db, site.id, userId)
  const parsed = former && ownMobile(former)
  if (!former || !parsed || parsed.value !== mobile) throw new AppError('LOGIN_CONFIRM_EXPIRED')
  return await changeUser(deps, site.id, userId, async (tx) => {
    if (!(await spendConfirmation(tx, site.id, ticketHash))) throw new AppError('LOGIN_CONFIRM_EXPIRED')
    // The user before the name, the lock order of every account change: no deadlock.
    if (!(await clearMobile(tx, site.id, userId, parsed.number))) throw new AppError('LOGIN_CONFIRM_EXPIRED')
    await takeName(tx, withoutStepUp('recycledNumber'), site.id, userId, 'mobile', mobile)
    await recordSecurity(tx, site.id, { event: 'mobile.moved', userId, address: visitor.address })
    if (former.email) await queueMail(tx, { siteId: site.id, to: former.email, ...movedNotice })
    return await signUp(tx, site, parsed, visitor)
  })
}

/** A code to the account's own address, for the browser that holds the ticket. */
export async function sendConfirmCode(
  deps: Needs,
  site: Site,
  { ticket, proof }: { ticket: string; proof?: string | undefined },
  visitor: Visitor,
): Promise<{ retryAfter: number }> {
  const confirmation = await useConfirmation(deps.db, site.id, sha256(ticket), visitor.browserHash)
  const user = confirmation && (await readUser(deps.db, site.id, confirmation.userId))
  if (!user?.email) throw new AppError('LOGIN_CONFIRM_EXPIRED')
  const { address, bucket, browserHash } = visitor
  const receiver = { kind: 'email' as const, value: user.email }
  return await sendCode(deps, site, {
    receiver,
    purpose: 'confirm',
    address,
    bucket,
    browserHash,
    powSolution: proof,
    asker: 'proved',
    send: true,
    wait: true,
  })
}

const movedNotice = {
  subject: '您的手机号已与账号解除绑定',
  text: '您账号绑定的手机号已由新的使用者验证，并已与您的账号解除绑定。您仍可使用其他方式登录；如非您本人所知，请尽快登录并检查账号安全。',
}

const maskNickname = (nickname: string | null) =>
  nickname ? `${[...nickname][0]}${'*'.repeat(Math.max([...nickname].length - 1, 1))}` : null
