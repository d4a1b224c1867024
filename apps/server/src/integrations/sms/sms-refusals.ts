import type { Outcome } from '../outcome.ts'
import { smsGateways } from './gateways.ts'

const numberRefusals = new Set([
  'NUMBER_AMBIGUOUS',
  ...Object.values(smsGateways).flatMap((gateway) => gateway.numberRefusals),
])

/** Concerns the one number, which a stranger may have chosen: no operator can put it right. */
export const isNumberRefusal = (outcome: Outcome): boolean =>
  outcome.kind === 'refused' && numberRefusals.has(outcome.code)

/** No gateway was asked. */
const notAsked = ['NO_GATEWAY', 'NO_TEMPLATE']

/** Of two refusals the one that is more useful to an operator, else the later. */
export function clearerRefusal<Refusal extends Outcome>(earlier: Refusal, later: Refusal): Refusal {
  const weight = (outcome: Outcome) => {
    if (outcome.kind === 'refused' && notAsked.includes(outcome.code)) return 0
    return isNumberRefusal(outcome) ? 1 : 2
  }
  return weight(later) >= weight(earlier) ? later : earlier
}
