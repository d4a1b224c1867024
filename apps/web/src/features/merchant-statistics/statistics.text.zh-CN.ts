import type { FigureName, Window } from '@hufu/contract/statistics-rules'
import { lengthsZhCN } from '../../lib/time/how-long.text.zh-CN.ts'

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

/** The sentences of the back-office's home, of its figures and of AI. */
export const statisticsZhCN = {
  home: {
    title: '商户管理',
    weekdays: ['星期日', '星期一', '星期二', '星期三', '星期四', '星期五', '星期六'],
    today: (date: string, weekday: string) => `${date}，${weekday}。`,
    waiting: (count: string) => `有 ${count} 条意见等待处理。`,
    noneWaiting: '没有等待处理的意见。',
    feedback: '查看并回复用户的意见',
    feedbackHint: '待处理',
    waitedLess: '最早一条等待不足 1 分钟',
    waited: (long: string) => `最早一条已等待 ${long}`,
    ...lengthsZhCN,
    nothingWaits: '所有意见都已处理',
    users: '查找用户与管理权限',
    userCount: (count: string) => `共 ${count} 位用户`,
    usersHint: '今日访问',
    statistics: '近 24 小时、7 天和 30 天',
    statisticsHint: '今日 API 调用',
    wechat: 'Token、菜单与消息推送',
    wechatOn: '已配置',
    wechatOff: '未配置',
    config: '站点、登录与短信设置',
    changed: (when: string) => `${when}修改`,
    changedBy: (when: string, who: string) => `${when} 由${who}修改`,
    version: (version: string) => `第 ${version} 版`,
  },
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
  ai: {
    title: 'AI管理',
    chat: 'AI聊天',
    chatEmpty: 'AI 聊天尚未开放',
    config: '配置',
    configEmpty: '暂无可配置的内容',
  },
}
