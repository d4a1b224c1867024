/** The sentences of changing what an account signs in with. */
export const accountZhCN = {
  changed: '修改成功',
  confirm: '确认修改',
  notSet: '未设置',
  atOnce: '修改后立即生效',
  email: {
    title: '修改电子邮箱',
    current: '当前电子邮箱',
    label: '新电子邮箱',
    placeholder: '请输入电子邮箱',
  },
  username: {
    title: '修改用户名',
    lead: '修改后请使用新用户名登录',
    current: '当前用户名',
    label: '新用户名',
    placeholder: '请输入用户名',
  },
  mobile: {
    title: '修改手机号',
    lead: '修改后请使用新手机号登录',
    current: '当前手机号',
    label: '新手机号',
  },
  password: {
    title: '修改密码',
    firstTitle: '设置密码',
    lead: '修改后，其他设备需要使用新密码重新登录',
    firstLead: '设置后可使用密码登录，其他设备需要重新登录',
    label: '新密码',
    placeholder: '请输入新密码',
    repeatLabel: '确认新密码',
    repeatPlaceholder: '请再次输入新密码',
    ready: '密码符合要求，可以确认修改',
  },
}
