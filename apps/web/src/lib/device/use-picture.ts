import { useState } from 'react'

/** A picture that can't be shown is as good as none. */
export function usePicture(address: string | undefined) {
  const [broken, setBroken] = useState<string>()
  return { shown: address === broken ? undefined : address, onError: () => setBroken(address) }
}
