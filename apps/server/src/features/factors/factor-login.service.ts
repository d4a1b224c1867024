import type { FactorRequired } from '@hufu/contract/factors'
import { AppError } from '../../platform/app-error.ts'
import { sha256 } from '../../platform/crypto/hash.ts'
import type { Deps } from '../../shared/deps.ts'
import {
  admit,
  beginSession,
  type Method,
  type SignedIn,
  trustsBrowsers,
  type Visitor,
} from '../../shared/sessions/begin-session.ts'
import { readSecondStep } from '../../shared/sessions/factor-tickets.store.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { holdAccount, knowsBrowser } from '../users/users.store.ts'
import { type FactorTicket, spendFactorTicket, trustBrowser, useFactorTicket } from './factors.store.ts'
import { type FactorProof, proveFactor, spendFactor } from './prove-factor.ts'

type Needs = Pick<Deps, 'db' | 'config' | 'clock' | 'usage'>

/** One answer to every invalid ticket: wrong, of another browser or site, expired, used up. */
async function holderOf({ db }: Needs, site: Site, ticket: string, { browserHash }: Visitor): Promise<FactorTicket> {
  const held = await useFactorTicket(db, site.id, sha256(ticket), browserHash)
  if (!held) throw new AppError('FACTOR_EXPIRED')
  return held
}

export async function readFactorTicket(
  deps: Needs,
  site: Site,
  ticket: string,
  visitor: Visitor,
): Promise<Omit<FactorRequired, 'ticket'>> {
  const { userId } = await holderOf(deps, site, ticket, visitor)
  return await readSecondStep(deps.db, site, userId, trustsBrowsers(site))
}

export interface FactorLogin extends FactorProof {
  ticket: string
  trust?: boolean | undefined
}

/** The second step. Ticket and factor are spent in the transaction of the session. */
export async function loginByFactor(deps: Needs, site: Site, login: FactorLogin, visitor: Visitor): Promise<SignedIn> {
  const { userId, method, agreements } = await holderOf(deps, site, login.ticket, visitor)
  const { browserHash, address } = visitor
  const known = await knowsBrowser(deps.db, site.id, userId, browserHash)
  const prover = { userId, known, address, use: { purpose: 'login' as const, holder: browserHash } }
  const right = await proveFactor(deps, site, prover, login)
  const entered = await deps.db.transaction().execute(async (tx) => {
    if (!(await holdAccount(tx, site.id, userId))) throw new AppError('ACCOUNT_DISABLED')
    if (!(await spendFactorTicket(tx, site.id, sha256(login.ticket)))) throw new AppError('FACTOR_EXPIRED')
    await spendFactor(tx, deps, site, prover, right)
    const from = { ...visitor, agreements: agreements ?? undefined }
    const begun = await beginSession(tx, site, userId, from, method as Method, { factor: 'now' })
    if (login.trust && trustsBrowsers(site)) await trustBrowser(tx, site.id, userId, browserHash)
    return begun
  })
  const signedIn = admit({ entered, created: false })
  if (method === 'mobile') deps.usage.countStep(site.id, 'codeSignedIn')
  deps.usage.countAuthorized(site.id, userId)
  return signedIn
}
