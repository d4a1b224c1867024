import { pages } from '@hufu/contract/pages'
import type { Attention } from '@hufu/contract/statistics'
import { numberText } from '../../lib/figures.ts'
import { whenOf } from '../../lib/time/when.ts'
import type { useMerchantHomeText } from './merchant-home.text.ts'

type Text = ReturnType<typeof useMerchantHomeText>

export interface AttentionWords {
  /** Something doesn't work at all. */
  bad: boolean
  what: string
  hint: string
  to: string
  go: string
}

type Budget = Extract<Attention, { kind: 'smsBudget' }>
type Refused = Extract<Attention, { kind: 'wechat' }>
type OperatorActions = Extract<Attention, { kind: 'granted' | 'exported' | 'machines' }>
type Failed = Exclude<Attention, Budget | Refused | OperatorActions>

function budgetWords({ prefix, sent, open, budget }: Budget, { day }: Text): AttentionWords {
  const spent = sent >= budget
  const [count, free, most] = [numberText(sent), numberText(open), numberText(budget)]
  const where = { to: pages.merchantConfig, go: day.toConfig }
  if (prefix === undefined)
    return spent
      ? { bad: true, what: day.smsSpent, hint: day.smsSpentHint(most), ...where }
      : { bad: true, what: day.smsKept, hint: day.smsKeptHint(count, most), ...where }
  if (spent) return { bad: true, what: day.prefixSpent(prefix), hint: day.prefixSpentHint(prefix, most), ...where }
  return sent >= open
    ? { bad: true, what: day.prefixKept(prefix), hint: day.prefixKeptHint(count, most), ...where }
    : { bad: false, what: day.prefixLow(prefix), hint: day.prefixLowHint(count, free, most), ...where }
}

function refusedWords({ errcode, time }: Refused, now: number, { day, when }: Text): AttentionWords {
  const meaning = errcode === null ? day.wechatUnknown : (day.wechatRefusals[errcode] ?? day.wechatOther(errcode))
  return {
    bad: true,
    what: day.wechat,
    hint: meaning + day.last(whenOf(time, now, when)),
    to: pages.merchantWechat,
    go: day.toWechat,
  }
}

function failedWords({ kind, count, time }: Failed, now: number, { day, when }: Text): AttentionWords {
  return {
    bad: false,
    what: day[kind](numberText(count)),
    hint: day[`${kind}Hint`] + day.last(whenOf(time, now, when)),
    to: pages.merchantConfig,
    go: day.toConfig,
  }
}

const isOperatorActions = (attention: Attention): attention is OperatorActions =>
  ['granted', 'exported', 'machines'].includes(attention.kind)

const actionOf = { granted: 'user.rights', exported: 'user.export', machines: 'client.grant' } as const

function actionWords({ kind, count, time }: OperatorActions, now: number, { day, when }: Text): AttentionWords {
  return {
    bad: false,
    what: day[kind](numberText(count)),
    hint: day[`${kind}Hint`] + day.last(whenOf(time, now, when)),
    to: `${pages.merchantLog}?action=${actionOf[kind]}`,
    go: day.toLog,
  }
}
/** Clients without PKCE: they work, but accept a ticket that was issued to another browser. */
export const looseWords = (names: string[], { day }: Text): AttentionWords => ({
  bad: false,
  what: day.looseClients(names.slice(0, 3).join('、'), numberText(names.length)),
  hint: day.looseClientsHint,
  to: pages.merchantConfig,
  go: day.toConfig,
})

/** What happened and what to do about it. */
export function attentionWords(attention: Attention, now: number, text: Text): AttentionWords {
  if (attention.kind === 'smsBudget') return budgetWords(attention, text)
  if (isOperatorActions(attention)) return actionWords(attention, now, text)
  return attention.kind === 'wechat' ? refusedWords(attention, now, text) : failedWords(attention, now, text)
}
