/** How long something lasts. */
export const lengthsZhCN = {
  minutes: (count: number) => `${count} 分钟`,
  hours: (count: number) => `${count} 小时`,
  days: (count: number) => `${count} 天`,
}
