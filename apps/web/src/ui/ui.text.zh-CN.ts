/** The sentences of the shared parts. */
export const uiZhCN = {
  dialog: {
    cancel: '取消',
  },
  password: {
    show: '显示密码',
    hide: '隐藏密码',
    capsLock: '大写锁定已打开',
  },
  pager: {
    name: '分页',
    previous: '上一页',
    next: '下一页',
    at: (page: number, pages: number) => `第 ${page} 页，共 ${pages} 页`,
  },
}
