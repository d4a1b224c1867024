/** The sentences of tables and of what filters them. */
export const dataTableZhCN = {
  table: {
    refresh: '刷新',
    filters: '筛选',
    tryAgain: '重试',
    waiting: '正在加载',
    selected: (count: number) => `已选择 ${count} 项`,
    pick: (name: string) => `选择 ${name}`,
    pickAll: '全选本页',
    pager: '分页',
    previous: '上一页',
    next: '下一页',
    toPage: (page: number) => `第 ${page} 页`,
    of: (pages: number) => `/ ${pages}`,
    jump: '跳至',
    jumpEnd: '页',
    jumpLabel: (pages: number) => `跳转到页码，共 ${pages} 页`,
  },
  days: {
    from: (label: string) => `${label}起`,
    to: (label: string) => `${label}止`,
    until: '至',
    reversed: '结束日期早于开始日期',
  },
}
