import { call } from '../../lib/call/call.ts'

/** The one-time ticket of a navigation to WeChat. */
export const fetchWechatTicket = () => call('/api/user/wechat/ticket')
