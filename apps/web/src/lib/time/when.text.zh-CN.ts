/** How times are written. */
export const whenZhCN = {
  now: '刚刚',
  minutesAgo: (minutes: number) => `${minutes} 分钟前`,
  today: '今天',
  yesterday: '昨天',
  date: (month: number, day: number) => `${month} 月 ${day} 日`,
  fullDate: (year: number, month: number, day: number) => `${year} 年 ${month} 月 ${day} 日`,
}
