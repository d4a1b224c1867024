import type { WechatMenu } from '@hufu/contract/wechat-menu'
import { z } from 'zod'
import { askWechat } from './ask.ts'
import type { WechatDeps, WechatOutcome } from './wechat.ts'

const menuInfo = z
  .object({ selfmenu_info: z.record(z.string(), z.unknown()).default({ button: [] }) })
  .transform(({ selfmenu_info }) => selfmenu_info)

/** The menu in the shape that only this call has. */
export const fetchMenu = (deps: WechatDeps, token: string): Promise<WechatOutcome<Record<string, unknown>>> =>
  askWechat(deps, { path: '/cgi-bin/get_current_selfmenu_info', query: { access_token: token } }, menuInfo)

const ok = z.object({ errcode: z.literal(0) })

export const createMenu = (
  deps: WechatDeps,
  token: string,
  body: WechatMenu,
): Promise<WechatOutcome<z.output<typeof ok>>> =>
  askWechat(deps, { path: '/cgi-bin/menu/create', query: { access_token: token }, body }, ok)
