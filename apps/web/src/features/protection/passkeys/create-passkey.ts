import { startRegistration } from '@simplewebauthn/browser'
import type { CallInput } from '../../../lib/call/call.ts'

type Options = Parameters<typeof startRegistration>[0]['optionsJSON']
type Attestation = CallInput<'/api/user/factor/passkey/add'>['passkey']

/** Asks the browser for a new passkey. */
export async function createPasskey(options: Record<string, unknown>): Promise<Attestation> {
  const { id, rawId, authenticatorAttachment, response } = await startRegistration({
    optionsJSON: options as unknown as Options,
  })
  const { clientDataJSON, attestationObject, transports } = response
  return {
    id,
    rawId,
    type: 'public-key',
    authenticatorAttachment,
    clientExtensionResults: {},
    response: { clientDataJSON, attestationObject, ...(transports && { transports }) },
  }
}
