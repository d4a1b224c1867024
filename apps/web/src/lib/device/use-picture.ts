import { useState } from 'react'

/** A picture that fails to load counts as none. */
export function usePicture(address: string | undefined) {
  const [broken, setBroken] = useState<string>()
  return { shown: address === broken ? undefined : address, onError: () => setBroken(address) }
}
