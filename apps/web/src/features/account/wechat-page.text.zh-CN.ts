/** The sentences of binding WeChat to an account. */
export const wechatPageZhCN = {
  page: {
    title: '微信',
    lead: '绑定后可在微信中直接登录',
    bound: '已绑定',
    notBound: '未绑定',
    account: '微信昵称',
    state: '绑定状态',
    bind: '绑定微信',
    bindHint: '绑定后，在微信中打开本站将自动登录',
    openInWechat: '请在微信中打开本页面，完成绑定',
    scan: '打开微信扫一扫，在手机上完成绑定',
    off: '本站未开通微信登录',
    refresh: '更新昵称和头像',
    refreshHint: '未设置昵称和头像时，显示微信的昵称和头像',
    unbind: '解除绑定',
    unbindTitle: '解除微信绑定？',
    unbindMessage: '解除后，您将不能再用该微信登录。',
    last: '微信是您唯一的登录方式，请先绑定手机号或设置密码',
  },
  done: {
    bind: '绑定成功',
    refresh: '修改成功',
    unbind: '已解除绑定',
  },
}
