import { nicknameMost, passwordMessages, usernameRule } from './account-rules.ts'

/** Every failure the product can answer: its code, its HTTP status and the sentence a person reads. */
export const errors = {
  INPUT_INVALID: { status: 400, message: '输入的内容有误，请检查后重试' },
  CODE_WRONG: { status: 400, message: '验证码不正确或已失效，请核对后重新输入' },
  LOGIN_FAILED: { status: 400, message: '账号或密码不正确，请核对后重新输入' },
  MOBILE_INVALID: { status: 400, message: '手机号格式不正确，请检查后重试' },
  PASSWORD_WRONG: { status: 400, message: '密码不正确，请核对后重新输入' },
  PASSWORD_SYMBOLS: { status: 400, message: passwordMessages.symbols },
  PASSWORD_LENGTH: { status: 400, message: passwordMessages.length },
  PASSWORD_CONTAIN: { status: 400, message: passwordMessages.contain },
  USERNAME_INVALID: { status: 400, message: `用户名须为${usernameRule}` },
  NICKNAME_INVALID: { status: 400, message: `昵称须为1-${nicknameMost}个字符` },
  UNCHANGED: { status: 400, message: '与当前使用的相同，无需修改' },
  IMAGE_INVALID: { status: 400, message: '请选择 JPEG、PNG 或 WebP 格式的图片' },
  EMAIL_INVALID: { status: 400, message: '电子邮箱格式不正确，请检查后重试' },
  AUTHORIZE_SOURCE: { status: 400, message: '回跳地址未被允许，请联系网站管理员' },
  AUTHORIZE_EXPIRED: { status: 400, message: '授权请求已失效，请返回原网站重新登录' },
  AUTHORIZE_TICKET: { status: 400, message: '授权凭证无效或已使用' },
  NOT_LOGGED_IN: { status: 401, message: '请先登录' },
  SESSION_REMOVED: { status: 401, message: '已下线，请重新登录' },
  CLIENT_REFUSED: { status: 401, message: '应用身份验证失败' },
  FORBIDDEN: { status: 403, message: '没有权限执行此操作' },
  ORIGIN_REFUSED: { status: 403, message: '请求来源不受信任，请刷新页面后重试' },
  ACCOUNT_DISABLED: { status: 403, message: '账号已停用，请联系客服' },
  METHOD_DISABLED: { status: 403, message: '本站未开放此登录方式' },
  PROOF_REQUIRED: { status: 403, message: '操作较为频繁，请完成人机验证后重试' },
  TWO_FACTOR_REQUIRED: { status: 403, message: '当前操作需要先验证您的身份' },
  NOT_FOUND: { status: 404, message: '您访问的内容不存在' },
  SITE_UNKNOWN: { status: 404, message: '站点不存在，请检查访问的地址' },
  METHOD_NOT_ALLOWED: { status: 405, message: '不支持的请求方式' },
  LOGIN_REQUEST_TAKEN: { status: 409, message: '该二维码已被其他账号扫描，请刷新二维码后重试' },
  LOGIN_REQUEST_DONE: { status: 409, message: '该登录请求已处理，请勿重复操作' },
  REGISTRATION_CLOSED: { status: 403, message: '本站暂未开放注册，请使用已有账号登录' },
  WECHAT_OFF: { status: 403, message: '本站未开通微信登录' },
  WECHAT_REFUSED: { status: 403, message: '您取消了微信授权' },
  WECHAT_SNAPSHOT: { status: 403, message: '请点击右下角「使用完整服务」后再试' },
  WECHAT_TAKEN: { status: 409, message: '该微信已绑定其他账号' },
  WECHAT_OTHER: { status: 409, message: '账号已绑定其他微信，请先解除绑定' },
  WECHAT_STRANGER: { status: 409, message: '该微信与账号绑定的微信不一致' },
  WECHAT_LAST: { status: 409, message: '微信是您唯一的登录方式，请先绑定手机号或设置密码' },
  LOGIN_CONFIRM: { status: 409, message: '请确认该手机号对应的账号是否为您本人所有' },
  LOGIN_CONFIRM_EXPIRED: { status: 409, message: '确认已超时，请重新登录' },
  LOGIN_PROOF_NEEDED: { status: 409, message: '请再完成一项验证' },
  MOBILE_TAKEN: { status: 409, message: '该手机号已被其他账号使用' },
  EMAIL_TAKEN: { status: 409, message: '该电子邮箱已被其他账号使用' },
  USERNAME_TAKEN: { status: 409, message: '该用户名已被使用，请换一个' },
  CONFIG_CONFLICT: { status: 409, message: '配置已被他人修改，请对照最新内容后再保存' },
  LOGIN_REQUEST_EXPIRED: { status: 410, message: '二维码已过期，请刷新后重试' },
  WECHAT_EXPIRED: { status: 410, message: '微信授权已失效，请重试' },
  PAYLOAD_TOO_LARGE: { status: 413, message: '提交的内容过大' },
  IMAGE_TOO_LARGE: { status: 413, message: '图片过大，请选择 5 MB、1600 万像素以内的图片' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: '不支持的内容格式' },
  TOO_MANY_REQUESTS: { status: 429, message: '操作过于频繁，请稍后再试' },
  CODE_SEND_LIMITED: { status: 429, message: '验证码发送过于频繁，请稍后再试' },
  CODE_TRIES_EXCEEDED: { status: 429, message: '验证码错误次数过多，请重新获取' },
  LOGIN_PAUSED: { status: 429, message: '密码错误次数过多，请稍后再试或改用验证码登录' },
  INTERNAL_ERROR: { status: 500, message: '服务出现异常，请稍后再试' },
  CODE_SEND_FAILED: { status: 502, message: '验证码发送失败，请稍后再试' },
  WECHAT_FAILED: { status: 502, message: '微信暂时无法连接，请稍后再试' },
  SERVICE_BUSY: { status: 503, message: '服务繁忙，请稍后再试' },
  SITE_DISABLED: { status: 503, message: '站点暂停服务' },
} as const satisfies Record<string, { status: number; message: string }>

export type ErrorCode = keyof typeof errors

/** The body of every failure. */
export interface Failure {
  code: ErrorCode
  message: string
  details?: Record<string, unknown>
}
