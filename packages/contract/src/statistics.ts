import { z } from 'zod'
import { endpoint, nothing } from './endpoint.ts'
import { figures, windows } from './statistics-rules.ts'

const limit = { calls: 600, seconds: 60 }

export const pageVisit = endpoint({
  path: '/api/page/visit',
  summary: 'Reports that the browser moved to another page without loading a document.',
  access: 'public',
  input: z.object({}),
  output: z.null(),
})

const count = z.number()

/** The five figures of the three windows: 24 hours, 7 days, 30 days, the present hour being the last of each. */
const fifteen = {
  dailyAuthorizedUsers: count,
  dailyAccessedUsers: count,
  dailyPageAccess: count,
  dailyAuthorizeAccess: count,
  dailyApiAccess: count,
  weeklyAuthorizedUsers: count,
  weeklyAccessedUsers: count,
  weeklyPageAccess: count,
  weeklyAuthorizeAccess: count,
  weeklyApiAccess: count,
  monthlyAuthorizedUsers: count,
  monthlyAccessedUsers: count,
  monthlyPageAccess: count,
  monthlyAuthorizeAccess: count,
  monthlyApiAccess: count,
}

const perWindow = z.object({ daily: count, weekly: count, monthly: count }).meta({ id: 'PerWindow' })

/** How many got how far, within one window. */
const funnel = z
  .object({
    codeSent: count,
    codeVerified: count,
    codeSignedIn: count,
    scanShown: count,
    scanScanned: count,
    scanApproved: count,
  })
  .meta({ id: 'Funnel' })

const statistics = z
  .object({
    userCount: count,
    ...fifteen,
    /** The same fifteen in the window before each. */
    before: z.object(fifteen),
    newUsers: perWindow,
    funnel: z.object({ daily: funnel, weekly: funnel, monthly: funnel }),
    /** Texted codes of today and the day's quota; null while it can't be counted. */
    sms: z.object({ sent: count.nullable(), budget: count }),
    /** When these were summed. */
    time: count,
  })
  .meta({ id: 'Statistics' })
export type Statistics = z.infer<typeof statistics>

export const userStatistics = endpoint({
  path: '/api/merchant/user/statistics',
  summary: 'How many users there are and how much they used the site in the last 24 hours, 7 days and 30 days.',
  access: 'merchantRead',
  limit,
  input: nothing,
  output: statistics,
})

export const userCurve = endpoint({
  path: '/api/merchant/user/curve',
  summary:
    'One figure over a window, by the hour or, for 7 and 30 days, by the day of China; beside it the window before.',
  access: 'merchantRead',
  limit,
  input: z.object({ window: z.enum(windows), figure: z.enum(figures) }),
  output: z.object({
    step: z.enum(['hour', 'day']),
    /** When each hour or day begins, oldest first. */
    points: z.array(z.object({ time: count, value: count, before: count })),
  }),
})
export type Curve = z.infer<(typeof userCurve)['output']>

/** Since midnight in China, and the day before up to the same hour. */
const againstYesterday = z.object({ today: count, yesterday: count }).meta({ id: 'AgainstYesterday' })

/** A user who waits for the merchant. */
const waiter = z
  .object({
    id: z.string(),
    status: z.int(),
    /** The user's nickname, else the number as operators may see it. */
    name: z.string().nullable(),
    since: count,
    preview: z.string(),
  })
  .meta({ id: 'WaitingConversation' })
export type Waiter = z.infer<typeof waiter>

/** What operators should look after, the worst first. */
const attention = z
  .discriminatedUnion('kind', [
    /**
     * SMS of today and the day's quota. For one dial prefix: near the end or at it. For all: so many that new numbers, or
     * all of them, get no codes any more.
     */
    z.object({
      kind: z.literal('smsBudget'),
      sent: count,
      /** From this number on, browsers that no account knows get none. */
      open: count,
      budget: count,
      prefix: z.string().optional(),
    }),
    /** WeChat refused calls within the last hour: its error number, and when it last did. */
    z.object({ kind: z.literal('wechat'), errcode: z.number().nullable(), time: count }),
    /** In the last 24 hours: codes refused for lack of quota, messages with no confirmed gateway, notices given up. */
    z.object({ kind: z.enum(['codeRefused', 'smsFailed', 'mailFailed', 'wechatNoticeFailed']), count, time: count }),
    /** In the last 72 hours: rights that operators gave, and exports of users. */
    z.object({ kind: z.enum(['granted', 'exported', 'machines']), count, time: count }),
  ])
  .meta({ id: 'Attention' })
export type Attention = z.infer<typeof attention>

/** The summary on the first page of the back-office. */
const home = z
  .object({
    /** Conversations that wait for the merchant, and since when the oldest does. */
    waiting: count,
    waitingSince: count.nullable(),
    /** The longest waiting first. */
    oldest: z.array(waiter),
    userCount: count,
    accessed: againstYesterday,
    newUsers: againstYesterday,
    api: againstYesterday,
    /** Ratings of closed conversations in the last 30 days; the average where there is one. */
    ratings: z.object({ count, average: count.nullable() }),
    attention: z.array(attention),
    /** Names of clients that return to any page of an origin, without PKCE. */
    looseClients: z.array(z.string()).optional(),
    wechat: z.boolean(),
    config: z.object({ version: count, time: count, by: z.string().nullable() }),
  })
  .meta({ id: 'MerchantHome' })
export type MerchantHome = z.infer<typeof home>

export const merchantHome = endpoint({
  path: '/api/merchant/home',
  summary: 'What waits and how the day goes.',
  access: 'merchantRead',
  limit,
  input: nothing,
  output: home,
})
