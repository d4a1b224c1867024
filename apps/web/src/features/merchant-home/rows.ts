import { pages } from '@hufu/contract/pages'
import type { MerchantHome } from '@hufu/contract/statistics'
import { Braces, ChartLine, MessageCircleMore, MessageSquareText, UsersRound } from 'lucide-react'
import type { useSideListText } from '../../frame/side-list.text.ts'
import { numberText } from '../../lib/figures.ts'
import { howLong } from '../../lib/time/how-long.ts'
import { whenOf } from '../../lib/time/when.ts'
import type { useMerchantHomeText } from './merchant-home.text.ts'
import type { RowProps } from './row.tsx'

interface Known {
  home: MerchantHome | undefined
  now: number
  text: ReturnType<typeof useMerchantHomeText>
  office: ReturnType<typeof useSideListText>
  waiting: boolean
}

type HomeText = Known['text']['home']

/** The server's counting limit. */
const mostCounted = 1000
export const countedText = (count: number) => (count < mostCounted ? numberText(count) : `${mostCounted}+`)

/** How long the oldest conversation waits. */
export function waitedText(since: number, now: number, text: HomeText): string {
  const long = howLong(since, now, text)
  return long === undefined ? text.waitedLess : text.waited(long)
}

function feedbackNote({ home, now, text }: Known): string {
  if (!home) return text.home.feedback
  return home.waitingSince === null ? text.home.nothingWaits : waitedText(home.waitingSince, now, text.home)
}

/** Card 客户服务. */
export function serviceRows(known: Known): RowProps[] {
  const { home, office, waiting } = known
  const text = known.text.home
  return [
    {
      to: pages.merchantFeedback,
      icon: MessageSquareText,
      label: office.feedback,
      note: feedbackNote(known),
      hint: home && { value: countedText(home.waiting), name: text.feedbackHint },
      waiting,
    },
    {
      to: pages.merchantUsers,
      icon: UsersRound,
      label: office.users,
      note: home ? text.userCount(numberText(home.userCount)) : text.users,
      hint: home && { value: numberText(home.accessed.today), name: text.usersHint },
      waiting,
    },
  ]
}

function configNote({ home, now, text }: Known): string {
  if (!home) return text.home.config
  const { time, by } = home.config
  const when = whenOf(time, now, text.when)
  return by === null ? text.home.changed(when) : text.home.changedBy(when, by)
}

/** Card 商户管理. */
export function managementRows(known: Known): RowProps[] {
  const { home, office, waiting } = known
  const text = known.text.home
  return [
    {
      to: pages.merchantStatistics,
      icon: ChartLine,
      label: office.statistics,
      note: text.statistics,
      hint: home && { value: numberText(home.api.today), name: text.statisticsHint },
      waiting,
    },
    {
      to: pages.merchantWechat,
      icon: MessageCircleMore,
      label: office.wechat,
      note: text.wechat,
      hint: home && { badge: home.wechat ? text.wechatOn : text.wechatOff, good: home.wechat },
      waiting,
    },
    {
      to: pages.merchantConfig,
      icon: Braces,
      label: office.config,
      note: configNote(known),
      hint: home && { badge: text.version(numberText(home.config.version)) },
      waiting,
    },
  ]
}
