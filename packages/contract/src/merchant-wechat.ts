import { z } from 'zod'
import { endpoint, nothing } from './endpoint.ts'
import { userReference, webUrl } from './fields.ts'

const limit = { calls: 120, seconds: 60 }

export const merchantWechatToken = endpoint({
  path: '/api/merchant/wechat/token',
  summary: "The official account's access token; each fetch is recorded.",
  access: 'merchantAdmin',
  stepUp: true,
  limit,
  errors: ['WECHAT_OFF', 'WECHAT_CALL_REFUSED', 'WECHAT_FAILED', 'SECOND_TOO_FRESH'],
  input: nothing,
  /** `expires` in milliseconds since 1970. */
  output: z.object({ access_token: z.string(), expires: z.int() }),
})

export const loadWechatMenu = endpoint({
  path: '/api/merchant/wechat/loadMenu',
  summary: "The official account's menu as WeChat returns it: its selfmenu_info.",
  access: 'merchantRead',
  limit,
  errors: ['WECHAT_OFF', 'WECHAT_CALL_REFUSED', 'WECHAT_FAILED'],
  input: nothing,
  output: z.record(z.string(), z.unknown()),
})

export const changeWechatMenu = endpoint({
  path: '/api/merchant/wechat/changeMenu',
  summary: "Changes the official account's menu; takes the shape that loadMenu answers and the one that WeChat takes.",
  access: 'merchantWrite',
  stepUp: true,
  limit,
  errors: ['WECHAT_MENU_INVALID', 'WECHAT_OFF', 'WECHAT_CALL_REFUSED', 'WECHAT_FAILED', 'SECOND_TOO_FRESH'],
  input: z.object({ data: z.record(z.string(), z.unknown()) }),
  output: z.null(),
})

export const loadMessageTemplates = endpoint({
  path: '/api/merchant/wechat/loadMessageTemplates',
  summary: "The official account's message templates.",
  access: 'merchantRead',
  limit,
  errors: ['WECHAT_OFF', 'WECHAT_CALL_REFUSED', 'WECHAT_FAILED'],
  input: nothing,
  /** Placeholders in `content` have the form {{name.DATA}}. */
  output: z.array(z.object({ template_id: z.string(), title: z.string(), content: z.string() })),
})

export const sendWechatMessage = endpoint({
  path: '/api/merchant/wechat/sendMessage',
  summary:
    'Sends a template message to a user whose WeChat is bound; the same message is delivered once in ten minutes.',
  access: 'merchantWrite',
  stepUp: true,
  limit,
  errors: [
    'USER_UNKNOWN',
    'USER_AMBIGUOUS',
    'WECHAT_OFF',
    'WECHAT_UNBOUND',
    'WECHAT_CALL_REFUSED',
    'WECHAT_FAILED',
    'SECOND_TOO_FRESH',
  ],
  input: z.object({
    userId: userReference,
    templateId: z.string().trim().min(1).max(64),
    /** What a tap on the message opens; nothing where it is empty. */
    url: z.union([z.literal(''), webUrl]).optional(),
    params: z
      .record(z.string().regex(/^\w{1,64}$/), z.string().max(500))
      .refine((params) => Object.keys(params).length <= 30),
  }),
  /** Text, since it exceeds the exact range of a number. */
  output: z.object({ msgid: z.string() }),
})
