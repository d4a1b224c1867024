import { lengthsZhCN } from '../../lib/time/how-long.text.zh-CN.ts'

/** The sentences of the back-office's home. */
export const merchantHomeZhCN = {
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
}
