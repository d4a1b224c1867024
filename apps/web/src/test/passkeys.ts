type Answer = (options: CredentialRequestOptions) => Promise<unknown>

/** Every request for a passkey since the last givePasskeys(), in order. */
export const passkeyRequests: CredentialRequestOptions[] = []

const bytes = (text: string) => new TextEncoder().encode(text).buffer

/** A credential as the browser gives it. */
export const samplePasskey = {
  id: 'AAAA',
  rawId: bytes('id'),
  type: 'public-key',
  authenticatorAttachment: 'platform',
  getClientExtensionResults: () => ({}),
  response: {
    clientDataJSON: bytes('{}'),
    authenticatorData: bytes('data'),
    signature: bytes('signature'),
    userHandle: bytes('user'),
  },
}

/** As the server takes it. */
export const sentPasskey = {
  id: 'AAAA',
  rawId: 'aWQ',
  type: 'public-key',
  authenticatorAttachment: 'platform',
  clientExtensionResults: {},
  response: { clientDataJSON: 'e30', authenticatorData: 'ZGF0YQ', signature: 'c2lnbmF0dXJl', userHandle: 'dXNlcg' },
}

export const samplePasskeyOptions = { challenge: 'Y2hhbGxlbmdl', rpId: 'localhost', userVerification: 'required' }

/** A request that is never answered, until it is aborted. */
export const unanswered: Answer = ({ signal }) =>
  new Promise((_, reject) =>
    signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')), { once: true }),
  )

export const refused: Answer = () => Promise.reject(new DOMException('cancelled', 'NotAllowedError'))

/** Stands in for a browser with passkeys; `inFields` as it says of its own suggestions, undefined for one that knows none. */
export function givePasskeys(answer: Answer, inFields?: boolean) {
  passkeyRequests.length = 0
  const suggestions = inFields === undefined ? {} : { isConditionalMediationAvailable: async () => inFields }
  Object.assign(globalThis, { PublicKeyCredential: Object.assign(class {}, suggestions) })
  const get: Answer = (options) => {
    passkeyRequests.push(options)
    return answer(options)
  }
  Object.defineProperty(navigator, 'credentials', { value: { get }, configurable: true })
}

/** A browser without. */
export function takePasskeys() {
  Reflect.deleteProperty(globalThis, 'PublicKeyCredential')
}
