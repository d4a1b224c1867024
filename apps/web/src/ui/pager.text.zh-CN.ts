export const pagerZhCN = {
  name: '分页',
  previous: '上一页',
  next: '下一页',
  at: (page: number, pages: number) => `第 ${page} 页，共 ${pages} 页`,
}
