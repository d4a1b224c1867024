import { z } from 'zod'
import { endpoint, nothing } from './endpoint.ts'
import { signedIn } from './login.ts'
import { navigation } from './navigation.ts'

const limit = { calls: 600, seconds: 60 }
const source = z.string().max(4096).optional()
/** One-time, from `wechatTicket`. */
const ticket = z.string().max(128).optional()

export const wechatTicket = endpoint({
  path: '/api/user/wechat/ticket',
  summary: 'A ticket for one navigation under /api/user/wechat/: for a minute, in this session.',
  access: 'user',
  limit,
  input: nothing,
  output: z.string(),
})

export const wechatArrival = endpoint({
  path: '/api/login/wechat/arrival',
  summary: 'Who has come back from WeChat in this browser and has no account yet.',
  access: 'public',
  limit,
  errors: ['WECHAT_EXPIRED'],
  input: nothing,
  output: z.object({ nickname: z.string() }),
})

export const loginByNewWechat = endpoint({
  path: '/api/login/wechat/create',
  summary: 'Creates an account for the visitor who has come back from WeChat in this browser, and signs in.',
  access: 'public',
  limit,
  errors: [
    'WECHAT_EXPIRED',
    'WECHAT_TAKEN',
    'REGISTRATION_CLOSED',
    'ACCOUNT_DISABLED',
    'METHOD_DISABLED',
    'FACTOR_REQUIRED',
  ],
  input: z.object({ agreements: z.string().max(40).optional() }),
  output: signedIn,
})

export const wechatLogin = navigation({
  path: '/api/login/wechat',
  summary: "Signs in through WeChat: silently, or after a tap with the user's consent there.",
  limit,
  fromHere: true,
  home: '/login',
  query: z.object({ source, tap: z.literal('1').optional() }),
})

export const wechatCallback = navigation({
  path: '/api/wechat/callback',
  summary: 'Where WeChat sends the browser back to.',
  limit,
  fromHere: false,
  home: '/login',
  query: z.object({ code: z.string().max(512).optional(), state: z.string().max(128).optional() }),
})

const personal = { limit, fromHere: false, home: '/user' } as const

export const bindWechat = navigation({
  ...personal,
  path: '/api/user/wechat/binding',
  summary: 'Binds WeChat to the account and takes nickname and picture as fallback.',
  query: z.object({ source, ticket }),
})

export const unbindWechat = navigation({
  ...personal,
  path: '/api/user/wechat/unbinding',
  summary: 'Unbinds WeChat; the last way to sign in stays.',
  query: z.object({ source, ticket }),
})

export const refreshWechat = navigation({
  ...personal,
  path: '/api/user/wechat/info',
  summary: 'Takes nickname and picture from WeChat again.',
  query: z.object({ source, ticket }),
})

export const checkByWechat = navigation({
  ...personal,
  path: '/api/user/wechat/check',
  summary: 'Proves the account once more by the WeChat that is bound to it.',
  query: z.object({ source, ticket }),
})
