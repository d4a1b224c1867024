import { z } from 'zod'
import { askWechat } from './ask.ts'
import type { WechatDeps, WechatOutcome } from './wechat.ts'

const template = z.object({ template_id: z.string(), title: z.string(), content: z.string() })
export type WechatTemplate = z.output<typeof template>

const listed = z.object({ template_list: z.array(template) }).transform(({ template_list }) => template_list)

export const fetchTemplates = (deps: WechatDeps, token: string): Promise<WechatOutcome<WechatTemplate[]>> =>
  askWechat(deps, { path: '/cgi-bin/template/get_all_private_template', query: { access_token: token } }, listed)

export interface TemplateMessage {
  openid: string
  templateId: string
  /** What a tap opens, if anything. */
  url?: string | undefined
  /** WeChat sends what carries the same id once in ten minutes, so that a retry is safe. */
  clientMsgId: string
  params: Readonly<Record<string, string>>
}

const sent = z.object({ msgid: z.union([z.string(), z.int()]) }).transform(({ msgid }) => ({ msgid: String(msgid) }))

export function sendTemplate(
  deps: WechatDeps,
  token: string,
  { openid, templateId, url, clientMsgId, params }: TemplateMessage,
): Promise<WechatOutcome<{ msgid: string }>> {
  const body = {
    touser: openid,
    template_id: templateId,
    ...(url && { url }),
    client_msg_id: clientMsgId,
    data: Object.fromEntries(Object.entries(params).map(([name, value]) => [name, { value }])),
  }
  return askWechat(deps, { path: '/cgi-bin/message/template/send', query: { access_token: token }, body }, sent)
}
