import { FingerprintPattern } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { type Assertion, askPasskey, cancelPasskey, PasskeyError } from '../../../identity/factor/passkey.ts'
import { CallError } from '../../../lib/call/call.ts'
import { withProofOfWork } from '../../../lib/call/with-proof-of-work.ts'
import { ErrorLine } from '../../../ui/fields/field.tsx'
import type { Consent } from '../login/consent.tsx'
import { usePasskeyText } from './passkey.text.ts'
import { fetchPasskeyOptions, loginByPasskey } from './passkey-login.api.ts'
import { suggestPasskeys } from './suggest-passkeys.ts'

interface Props {
  consent: Consent
  /** Whether a field is shown in which the browser may suggest passkeys. */
  inFields: boolean
  onSignedIn: () => void
}

/** 使用通行密钥登录: by the button, or by what the browser suggests in the first field. */
export default function PasskeyWay({ consent, inFields, onSignedIn }: Props) {
  const text = usePasskeyText()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  // A browser may give the same passkey again by itself.
  const [refused, setRefused] = useState(false)

  async function login(find: () => Promise<Assertion | undefined>) {
    setBusy(true)
    setFailure(undefined)
    try {
      const passkey = await find()
      if (!passkey) return setFailure(text.unanswered)
      await withProofOfWork((proof) => loginByPasskey({ passkey, agreements: consent.version, proof }))
      onSignedIn()
    } catch (error) {
      if (error instanceof PasskeyError) return setFailure(text.unusable)
      if (!(error instanceof CallError)) throw error
      setRefused(true)
      setFailure(error.message)
    } finally {
      setBusy(false)
    }
  }
  const go = () => consent.before(() => void login(async () => askPasskey(await fetchPasskeyOptions())))
  useSuggestions(inFields && !busy && !refused, (passkey) => consent.before(() => void login(async () => passkey)))
  return (
    <>
      <button type="button" className="whole" aria-busy={busy || undefined} onClick={busy ? undefined : go}>
        <FingerprintPattern />
        {text.go}
      </button>
      {failure && (
        <div className="whole">
          <ErrorLine message={failure} />
        </div>
      )}
    </>
  )
}

/** Aborted when another way begins: the browser has one request at a time. */
function useSuggestions(active: boolean, onChosen: (passkey: Assertion) => void) {
  const chosen = useEffectEvent(onChosen)
  useEffect(() => {
    if (!active) return
    const left = new AbortController()
    void suggestPasskeys(left.signal).then((passkey) => passkey && chosen(passkey))
    return () => {
      left.abort()
      cancelPasskey()
    }
  }, [active])
}
