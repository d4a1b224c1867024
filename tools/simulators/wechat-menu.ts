import type { App } from './wechat-apps.ts'
import { type Answer, complain, parseJson, type WechatCall } from './wechat-wire.ts'

interface Button {
  type?: unknown
  name?: unknown
  key?: unknown
  url?: unknown
  sub_button?: unknown
  [more: string]: unknown
}

const withKey = ['click', 'scancode_push', 'scancode_waitmsg', 'pic_sysphoto', 'pic_photo_or_album', 'pic_weixin']
const types = [...withKey, 'location_select', 'view', 'miniprogram', 'media_id', 'article_id', 'article_view_limited']

const isText = (value: unknown, mostBytes: number) =>
  typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= mostBytes

/** The complaint about a button without others under it; those of the second row have numbers of their own. */
function faultIn(button: Button, below: boolean): number | undefined {
  if (!isText(button.name, below ? 60 : 16)) return below ? 40025 : 40018
  if (!types.includes(String(button.type))) return below ? 40024 : 40017
  if ([...withKey, 'location_select'].includes(String(button.type)) && !isText(button.key, 128)) {
    return below ? 40026 : 40019
  }
  const leads = button.type === 'view' || button.type === 'miniprogram'
  const leadsSomewhere = isText(button.url, 1024) && /^https?:\/\/./.test(String(button.url))
  return leads && !leadsSomewhere ? (below ? 40027 : 40020) : undefined
}

function faultInTop(button: Button): number | undefined {
  if (button.sub_button === undefined) return faultIn(button, false)
  const { sub_button: below } = button
  // The shape that is read has an object here, which is no list to what is written.
  if (!Array.isArray(below)) return 40016
  if (below.length === 0) return faultIn(button, false)
  if (below.length > 5) return 40023
  if (!isText(button.name, 16)) return 40018
  return below.map((one: Button) => faultIn(one, true)).find((fault) => fault !== undefined)
}

/** `/cgi-bin/menu/create` */
export function createMenu(app: App, { method, body }: WechatCall): Answer {
  if (method !== 'POST') return complain(43002)
  if (/\\u[0-9a-f]{4}/i.test(body)) return complain(40033)
  const json = parseJson(body)
  if (!json) return complain(47001)
  const buttons = json.button
  if (!Array.isArray(buttons) || buttons.length < 1 || buttons.length > 3) return complain(40016)
  const fault = buttons.map(faultInTop).find((found) => found !== undefined)
  if (fault !== undefined) return complain(fault)
  app.menu = { button: buttons.map(asRead) }
  return { errcode: 0, errmsg: 'ok' }
}

/** What is read has another shape than what is written. */
function asRead({ sub_button: below, ...button }: Button): Button {
  return Array.isArray(below) && below.length > 0 ? { ...button, sub_button: { list: below } } : button
}

/** `/cgi-bin/get_current_selfmenu_info` */
export const readMenu = ({ menu }: App): Answer =>
  menu ? { is_menu_open: 1, selfmenu_info: menu } : { is_menu_open: 0, selfmenu_info: { button: [] } }
