import { pages } from '@hufu/contract/pages'
import type { MerchantHome } from '@hufu/contract/statistics'
import { Braces, ChartLine, MessageCircleMore, MessageSquareText, UsersRound } from 'lucide-react'
import type { useMerchantText } from '../../lib/merchant-text.ts'
import type { useStatisticsText } from '../../lib/statistics-text.ts'
import { whenOf } from '../../lib/when.ts'
import { numberText } from '../statistics/figures.ts'
import type { RowProps } from './merchant-home-row.tsx'

interface Known {
  home: MerchantHome | undefined
  now: number
  text: ReturnType<typeof useStatisticsText>
  office: ReturnType<typeof useMerchantText>['office']
  waiting: boolean
}

type HomeText = Known['text']['home']

const minute = 60_000

/** The server counts no further. */
const mostWaiting = 1000
export const waitingText = (count: number) => (count < mostWaiting ? numberText(count) : `${mostWaiting}+`)

/** How long the oldest conversation waits: 42 分钟, 3 小时, 2 天. */
export function waitedText(since: number, now: number, text: HomeText): string {
  const minutes = Math.floor((now - since) / minute)
  if (minutes < 1) return text.waitedLess
  if (minutes < 60) return text.waited(text.minutes(minutes))
  const hours = Math.floor(minutes / 60)
  return text.waited(hours < 24 ? text.hours(hours) : text.days(Math.floor(hours / 24)))
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
      hint: home && { value: waitingText(home.waiting), name: text.feedbackHint },
      waiting,
    },
    {
      to: pages.merchantUsers,
      icon: UsersRound,
      label: office.users,
      note: home ? text.userCount(numberText(home.userCount)) : text.users,
      hint: home && { value: numberText(home.accessedToday), name: text.usersHint },
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
      hint: home && { value: numberText(home.apiToday), name: text.statisticsHint },
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
