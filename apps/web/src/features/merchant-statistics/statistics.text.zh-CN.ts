import type { FigureName, Window } from '@hufu/contract/statistics-rules'

const figure: Record<FigureName, string> = {
  AuthorizedUsers: '授权用户',
  AccessedUsers: '访问用户',
  PageAccess: '页面访问',
  AuthorizeAccess: '授权次数',
  ApiAccess: 'API 调用',
}

export interface WindowText {
  /** The card's title. */
  title: string
  /** For the choice. */
  short: string
  now: string
  before: string
  against: string
  newcomers: string
}

const window: Record<Window, WindowText> = {
  daily: {
    title: '近24小时统计',
    short: '24 小时',
    now: '近 24 小时',
    before: '前一日',
    against: '较前一日',
    newcomers: '近 24 小时新增',
  },
  weekly: {
    title: '近7天统计',
    short: '7 天',
    now: '近 7 天',
    before: '前 7 天',
    against: '较前 7 天',
    newcomers: '近 7 天新增',
  },
  monthly: {
    title: '近30天统计',
    short: '30 天',
    now: '近 30 天',
    before: '前 30 天',
    against: '较前 30 天',
    newcomers: '近 30 天新增',
  },
}

/** The sentences of the statistics. */
export const statisticsZhCN = {
  statistics: {
    title: '用户统计',
    upTo: (clock: string) => `数据截至 ${clock}，每 5 秒更新`,
    stopped: (clock: string) => `数据截至 ${clock}，更新中断，正在重试`,
    unreachable: '暂时无法获取统计数据，正在自动重试',
    total: '总计',
    people: '位用户',
    figure,
    window,
    up: '上升',
    down: '下降',
    incomparable: '无可比数据',
    trend: '趋势',
    chooseFigure: '指标',
    chooseWindow: '时间范围',
    curve: (name: string) => `${name}曲线，用方向键逐点查看`,
    curveUnreachable: '暂时无法获取曲线，正在自动重试',
    table: (name: string, span: string) => `${span}${name}`,
    time: '时间',
    change: '变化',
    hour: (date: string, from: string, to: string) => `${date} ${from}–${to}`,
    reading: (time: string, name: string, value: string, before: string, was: string) =>
      `${time}，${name} ${value}，${before} ${was}`,
    tenThousands: (count: string) => `${count}万`,
    hundredMillions: (count: string) => `${count}亿`,
    funnel: '登录转化',
    funnelNote: '百分比为上一步中走到这一步的比例',
    codeFunnel: '短信登录',
    codeSteps: ['发送', '验证', '登录'],
    scanFunnel: '扫码登录',
    scanSteps: ['展示', '扫描', '确认'],
    sms: '今日短信',
    smsBudget: (budget: string) => `/ ${budget} 条`,
    smsLeft: (left: string) => `还可发送 ${left} 条`,
    smsLow: (left: string) => `即将用尽，还可发送 ${left} 条`,
    smsSpent: '今日额度已用尽',
    smsUnknown: '暂无法统计',
  },
}
