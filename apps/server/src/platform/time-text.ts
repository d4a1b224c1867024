const format = new Intl.DateTimeFormat('zh-CN', {
  timeZone: 'Asia/Shanghai',
  month: 'long',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

/** 11月15日 13:20, as the site's users read it. */
export const clockText = (time: number): string => format.format(time)
