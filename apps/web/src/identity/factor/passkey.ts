import { startAuthentication, WebAuthnAbortService } from '@simplewebauthn/browser'
import type { CallInput } from '../../lib/call/call.ts'

export type Assertion = CallInput<'/api/login/passkey'>['passkey']

/** What the server answers: options of WebAuthn in JSON. */
export type PasskeyOptions = Record<string, unknown>

type OptionsJson = Parameters<typeof startAuthentication>[0]['optionsJSON']

/** The browser has passkeys but can't use them here. */
export class PasskeyError extends Error {
  override name = 'PasskeyError'
}

/** A user who cancels, waits too long or has no passkey here gives the same error; so does a request that took its place. */
const isUnanswered = (error: unknown) =>
  error instanceof Error && ['AbortError', 'NotAllowedError'].includes(error.name)

interface Asking {
  /** Among the suggestions of a field, instead of a dialog. */
  inField?: boolean
}

/** Asks the browser for a passkey; undefined where none was given. A request in progress is aborted. */
export async function askPasskey(
  options: PasskeyOptions,
  { inField = false }: Asking = {},
): Promise<Assertion | undefined> {
  try {
    const optionsJSON = options as unknown as OptionsJson
    const given = await startAuthentication({ optionsJSON, useBrowserAutofill: inField })
    return { ...given, clientExtensionResults: { ...given.clientExtensionResults } }
  } catch (error) {
    if (isUnanswered(error)) return undefined
    throw new PasskeyError(String(error))
  }
}

export const cancelPasskey = () => WebAuthnAbortService.cancelCeremony()
