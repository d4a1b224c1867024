/** Every failure the product can answer: its code, its HTTP status and the sentence a person reads. */
export const errors = {
  INPUT_INVALID: { status: 400, message: '输入的内容有误，请检查后重试' },
  NOT_LOGGED_IN: { status: 401, message: '请先登录' },
  FORBIDDEN: { status: 403, message: '没有权限执行此操作' },
  ORIGIN_REFUSED: { status: 403, message: '请求来源不受信任，请刷新页面后重试' },
  TWO_FACTOR_REQUIRED: { status: 403, message: '当前操作需要先验证您的身份' },
  NOT_FOUND: { status: 404, message: '您访问的内容不存在' },
  SITE_UNKNOWN: { status: 404, message: '站点不存在，请检查访问的地址' },
  METHOD_NOT_ALLOWED: { status: 405, message: '不支持的请求方式' },
  CONFIG_CONFLICT: { status: 409, message: '配置已被他人修改，请对照最新内容后再保存' },
  PAYLOAD_TOO_LARGE: { status: 413, message: '提交的内容过大' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: '不支持的内容格式' },
  TOO_MANY_REQUESTS: { status: 429, message: '操作过于频繁，请稍后再试' },
  INTERNAL_ERROR: { status: 500, message: '服务出现异常，请稍后再试' },
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
