import { type Assertion, askPasskey, cancelPasskey } from '../../../identity/factor/passkey.ts'
import { fetchPasskeyOptions } from './passkey-login.api.ts'

/** A challenge is valid for five minutes: a page left open asks with a new one before that. */
const renewMs = 4 * 60_000

/** Runs after that time; in a page that is hidden then, as soon as it is shown. */
function afterLife(run: () => void, signal: AbortSignal) {
  const runOnceShown = () => {
    if (document.hidden) document.addEventListener('visibilitychange', runOnceShown, { once: true, signal })
    else run()
  }
  const timer = setTimeout(runOnceShown, renewMs)
  signal.addEventListener('abort', () => clearTimeout(timer))
}

/** Asks once; 'old' when the challenge has to be renewed. */
async function suggestOnce(left: AbortSignal): Promise<Assertion | 'old' | undefined> {
  const options = await fetchPasskeyOptions()
  if (left.aborted) return undefined
  let old = false
  const ended = new AbortController()
  const renew = () => {
    old = true
    cancelPasskey()
  }
  afterLife(renew, ended.signal)
  const given = await askPasskey(options, { inField: true }).finally(() => ended.abort())
  return given ?? (old ? 'old' : undefined)
}

/**
 * Has the browser suggest passkeys in the field that is filled in; undefined where none was chosen. It is a convenience:
 * failures are silent.
 */
export async function suggestPasskeys(left: AbortSignal): Promise<Assertion | undefined> {
  try {
    if (!(await PublicKeyCredential.isConditionalMediationAvailable())) return undefined
    let given: Assertion | 'old' | undefined = 'old'
    while (given === 'old' && !left.aborted) given = await suggestOnce(left)
    return given === 'old' || left.aborted ? undefined : given
  } catch {
    return undefined
  }
}
