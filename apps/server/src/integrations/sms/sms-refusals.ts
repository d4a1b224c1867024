import type { Outcome } from '../outcome.ts'

/** What lies with the one number: it is none, its carrier's limit is reached, or its owner wants no texts. */
const numbersMatters = [
  'NUMBER_AMBIGUOUS',
  // Aliyun. DAY_LIMIT_CONTROL isn't among them: that is the account's own limit, set in its console.
  'isv.MOBILE_NUMBER_ILLEGAL',
  'isv.BUSINESS_LIMIT_CONTROL',
  // Tencent Cloud
  'FailedOperation.PhoneNumberInBlacklist',
  'InvalidParameterValue.IncorrectPhoneNumber',
  'LimitExceeded.DeliveryFrequencyLimit',
  'LimitExceeded.PhoneNumberThirtySecondLimit',
  'LimitExceeded.PhoneNumberOneHourLimit',
  'LimitExceeded.PhoneNumberDailyLimit',
  'LimitExceeded.PhoneNumberSameContentDailyLimit',
]

/** Anybody can bring it about with a number of their choice, and no operator can put it right. */
export const isNumbersMatter = (outcome: Outcome): boolean =>
  outcome.kind === 'refused' && numbersMatters.includes(outcome.code)

/** Nobody was asked. */
const notAsked = ['NO_GATEWAY', 'NO_TEMPLATE']

/** Of two refusals the one that tells an operator more, else the later. */
export function tellingRefusal<Refusal extends Outcome>(earlier: Refusal, later: Refusal): Refusal {
  const weight = (outcome: Outcome) => {
    if (outcome.kind === 'refused' && notAsked.includes(outcome.code)) return 0
    return isNumbersMatter(outcome) ? 1 : 2
  }
  return weight(later) >= weight(earlier) ? later : earlier
}
