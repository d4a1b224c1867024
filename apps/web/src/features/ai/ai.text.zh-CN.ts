/** The sentences of the AI page. */
export const aiZhCN = {
  title: 'AI管理',
  chat: 'AI聊天',
  chatEmpty: 'AI 聊天尚未开放',
  config: '配置',
  configEmpty: '暂无可配置的内容',
}
