import { errors } from '@hufu/contract/errors'

/** The outcome of a redirect through WeChat, from the address of the page. */
export const outcomeIn = (search: string): string | null => new URLSearchParams(search).get('wechat')

/** The same address without it. */
export function withoutOutcome(search: string): string {
  const query = new URLSearchParams(search)
  query.delete('wechat')
  return query.size > 0 ? `?${query}` : ''
}

/** The sentence for a failure; nothing for any other word in the address, which anyone could have written. */
export function failureIn(outcome: string | null): string | undefined {
  return outcome !== null && Object.hasOwn(errors, outcome) ? errors[outcome as keyof typeof errors].message : undefined
}
