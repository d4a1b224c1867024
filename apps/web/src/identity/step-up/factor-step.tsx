import type { FactorWay } from '@hufu/contract/factors'
import { FactorForm } from '../factor/factor-form.tsx'
import { useFactor } from '../factor/use-factor.ts'
import { fetchCheckPasskeyOptions, verifyCheck } from './two-factor.api.ts'

interface Props {
  ways: FactorWay[]
  onProved: () => void
}

/** The step-up of a protected account: by one of its factors alone. */
export default function FactorStep({ ways, onProved }: Props) {
  const factor = useFactor({
    passkeyOptions: fetchCheckPasskeyOptions,
    give: (given, proof) => verifyCheck({ ...given, proof }),
    onProved,
  })
  return <FactorForm ways={ways} factor={factor} />
}
