import type { HeldSession } from '../sessions/sessions.store.ts'

/**
 * `checked`: a step-up was completed within ten minutes. `secondKind`: in a browser that the account has known for less
 * than 72 hours, also an identity proof besides a texted code, where the account has one.
 */
export type StepUpLevel = 'checked' | 'secondKind'

interface Satisfies {
  checked: StepUpLevel
  secondKind: 'secondKind'
}

declare const level: unique symbol

/** Proves that a step-up of this level is in force. Stores that write demand it as a parameter. */
export interface StepUp<Level extends StepUpLevel> {
  readonly [level]: Satisfies[Level]
  readonly session: HeldSession
}

/** For `requireStepUp` alone, which has checked. */
export const stepUpProof = <Level extends StepUpLevel>(session: HeldSession) =>
  ({ session }) as unknown as StepUp<Level>

/** Why a write needs no step-up: another proof, or no user behind it. */
export type Ground = 'registration' | 'recovery' | 'recycledNumber' | 'boundWechat' | 'commandLine' | 'undo'

declare const ground: unique symbol

export interface Exemption {
  readonly [ground]: Ground
}

/** Every use is listed in step-up.test.ts: a new one is a decision, not an oversight. */
export const withoutStepUp = (reason: Ground): Exemption => ({ reason }) as unknown as Exemption

/** What stores that write credentials, contacts, rights and exports demand. */
export type Authority = StepUp<'secondKind'> | Exemption

declare const appearance: unique symbol

/** A change of a config's appearance alone. */
export interface AppearanceOnly {
  readonly [appearance]: true
}

/** For `appearanceOnly` alone, which has compared. */
export const appearanceProof = () => ({}) as AppearanceOnly

/** What storing a config demands. */
export type ConfigAuthority = AppearanceOnly | Authority
