/** The sentences of the rules of a new password. */
export const newPasswordZhCN = {
  rules: '密码要求',
  match: '两次输入的密码一致',
  met: '已满足',
  unmet: '未满足',
}
