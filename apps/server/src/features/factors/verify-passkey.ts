import type { assertion, attestation } from '@hufu/contract/factors'
import type { z } from 'zod'
import type { Deps } from '../../shared/deps.ts'
import { rpIdOf } from '../../shared/sites/rp-id.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { type Challenge, type ChallengeUse, readChallenge } from './passkey-challenges.ts'
import { algorithms } from './passkey-options.ts'
import type { NewPasskey } from './passkeys.store.ts'

export type Assertion = z.output<typeof assertion>
export type Attestation = z.output<typeof attestation>

type Needs = Pick<Deps, 'config' | 'clock'>

/** Loaded with the first passkey: most processes start without one, and the module is large. */
const library = () => import('@simplewebauthn/server')

/** The library throws for every fault of an answer. */
const refused = () => undefined

const jsonOf = (bytes: string): Record<string, unknown> => JSON.parse(Buffer.from(bytes, 'base64url').toString('utf8'))

/** The library accepts an answer from a frame of another site where the browser doesn't name that site. */
const framed = (clientDataJSON: string): boolean => jsonOf(clientDataJSON).crossOrigin === true

interface Expected {
  expectedOrigin: string
  expectedRPID: string
  requireUserVerification: true
  expectedChallenge(text: string): boolean
}

/** What an answer must match; the challenge is read on the way. */
function expecting({ config, clock }: Needs, site: Site, use: Omit<ChallengeUse, 'siteId'>) {
  const found: { challenge?: Challenge | undefined } = {}
  const expected: Expected = {
    expectedOrigin: site.origin,
    expectedRPID: rpIdOf(site),
    requireUserVerification: true,
    expectedChallenge(text) {
      found.challenge = readChallenge(config.keys, { ...use, siteId: site.id }, text, clock.now())
      return found.challenge !== undefined
    },
  }
  return { expected, found }
}

export interface VerifiedAssertion {
  challenge: Challenge
  counter: number
  synced: boolean
}

/** Whether the owner of this key answered a challenge of this use; undefined for anything else. */
export async function verifyAssertion(
  deps: Needs,
  site: Site,
  use: Omit<ChallengeUse, 'siteId'>,
  answer: Assertion,
  stored: { publicKey: Buffer; counter: number },
): Promise<VerifiedAssertion | undefined> {
  const { expected, found } = expecting(deps, site, use)
  const { verifyAuthenticationResponse } = await library()
  const credential = { id: answer.id, publicKey: new Uint8Array(stored.publicKey), counter: stored.counter }
  const verify = async () =>
    framed(answer.response.clientDataJSON)
      ? undefined
      : await verifyAuthenticationResponse({ ...expected, response: answer as never, credential })
  const outcome = await verify().catch(refused)
  if (!outcome?.verified || !found.challenge) return undefined
  const { newCounter, credentialBackedUp } = outcome.authenticationInfo
  return { challenge: found.challenge, counter: newCounter, synced: credentialBackedUp }
}

export interface VerifiedAttestation {
  challenge: Challenge
  passkey: Omit<NewPasskey, 'name'>
}

/** We ask for no attestation. Certificates are refused unread: the library may fetch the revocation lists they name. */
async function withoutCertificates({ response }: Attestation): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(response.attestationObject, 'base64url')))
  const format = decoded.get('fmt')
  return format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined)
}

export async function verifyAttestation(
  deps: Needs,
  site: Site,
  use: Omit<ChallengeUse, 'siteId'>,
  answer: Attestation,
): Promise<VerifiedAttestation | undefined> {
  const { expected, found } = expecting(deps, site, use)
  const { verifyRegistrationResponse } = await library()
  const verify = async () =>
    framed(answer.response.clientDataJSON) || !(await withoutCertificates(answer))
      ? undefined
      : await verifyRegistrationResponse({
          ...expected,
          response: answer as never,
          supportedAlgorithmIDs: algorithms,
        })
  const outcome = await verify().catch(refused)
  if (!outcome?.verified || !found.challenge) return undefined
  const { credential, credentialBackedUp, aaguid } = outcome.registrationInfo
  return {
    challenge: found.challenge,
    passkey: {
      rpId: rpIdOf(site),
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: answer.response.transports ?? [],
      synced: credentialBackedUp,
      aaguid,
    },
  }
}
