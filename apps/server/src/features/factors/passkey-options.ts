import { rpIdOf } from '../../shared/sites/rp-id.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { challengeMinutes } from './passkey-challenges.ts'
import type { Credential } from './passkeys.store.ts'

const timeout = challengeMinutes * 60_000

/** EdDSA, ES256 and RS256, by their COSE numbers. */
export const algorithms = [-8, -7, -257]

const described = ({ id, transports }: Credential) => ({ type: 'public-key', id, transports })

/** The 16 bytes of the id: what an authenticator answers as the user handle. */
export const userHandleOf = (userId: string): string =>
  Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url')

/** Without credentials the browser offers every passkey of the site. */
export const requestOptions = (site: Site, challenge: string, credentials: Credential[] = []) => ({
  challenge,
  rpId: rpIdOf(site),
  userVerification: 'required',
  timeout,
  ...(credentials.length > 0 && { allowCredentials: credentials.map(described) }),
})

export interface NamedUser {
  id: string
  /** Shown by the browser when there are several accounts: must not be empty. */
  name: string
  displayName: string
}

export const creationOptions = (
  site: Site,
  siteName: string,
  challenge: string,
  user: NamedUser,
  existing: Credential[],
) => ({
  challenge,
  rp: { id: rpIdOf(site), name: siteName },
  user: { ...user, id: userHandleOf(user.id) },
  pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
  timeout,
  attestation: 'none',
  excludeCredentials: existing.map(described),
  authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  extensions: { credProps: true },
})
