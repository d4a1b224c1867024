/** The names of the pages of the back-office. */
export const sideListZhCN = {
  list: '后台页面',
  service: '客户服务',
  management: '商户管理',
  feedback: '意见处理',
  users: '用户管理',
  statistics: '使用量统计',
  wechat: '微信集成',
  config: '配置',
  log: '操作日志',
  unread: (count: number) => `${count} 条未读`,
}
