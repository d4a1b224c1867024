/** One entry of a menu as WeChat's call takes it. */
export interface MenuButton {
  type?: string
  name: string
  sub_button?: MenuButton[]
  [field: string]: string | MenuButton[] | undefined
}

export interface WechatMenu {
  button: MenuButton[]
}

/** What stands in the way of saving a menu, and where, in words for whoever edits it. */
export interface MenuFault {
  place: string
  reason: string
}

export type MenuResult = { menu: WechatMenu } | { fault: MenuFault }

/** Bytes in UTF-8, as WeChat counts. */
const menuLimits = { buttons: 3, below: 5, name: 16, nameBelow: 60, key: 128, url: 1024 } as const

const eventTypes = [
  'click',
  'scancode_push',
  'scancode_waitmsg',
  'pic_sysphoto',
  'pic_photo_or_album',
  'pic_weixin',
  'location_select',
]

/** The fields that each type of entry needs besides its name. */
const fieldsByType: Record<string, readonly string[]> = {
  ...Object.fromEntries(eventTypes.map((type) => [type, ['key']])),
  view: ['url'],
  miniprogram: ['url', 'appid', 'pagepath'],
  media_id: ['media_id'],
  view_limited: ['media_id'],
  article_id: ['article_id'],
  article_view_limited: ['article_id'],
}

/** Made on WeChat's own site: they can be read, but no call writes them. */
const siteTypes: Record<string, string> = {
  text: '文字消息',
  img: '图片消息',
  photo: '图片消息',
  voice: '语音消息',
  video: '视频消息',
  news: '图文消息',
  finder: '视频号',
}

type Entry = Record<string, unknown>

class Faulty extends Error {
  readonly fault: MenuFault
  constructor(place: string, reason: string) {
    super(reason)
    this.fault = { place, reason }
  }
}

/** Turns the menu that WeChat tells, or one in the shape that it takes, into the latter. Nothing is left out silently. */
export function convertMenu(data: unknown): MenuResult {
  try {
    return { menu: { button: readButtons(data).map(readTop) } }
  } catch (error) {
    if (error instanceof Faulty) return { fault: error.fault }
    throw error
  }
}

const isEntry = (value: unknown): value is Entry => typeof value === 'object' && value !== null && !Array.isArray(value)
const own = (entry: Entry, field: string) => (Object.hasOwn(entry, field) ? entry[field] : undefined)
const bytes = (text: string) => new TextEncoder().encode(text).length

function readButtons(data: unknown): unknown[] {
  const outer = isEntry(data) ? data : {}
  const inner = own(outer, 'selfmenu_info') ?? own(outer, 'menu') ?? outer
  const buttons = isEntry(inner) ? own(inner, 'button') : undefined
  if (!Array.isArray(buttons)) throw new Faulty('菜单', '缺少 button 列表')
  if (buttons.length < 1 || buttons.length > menuLimits.buttons) {
    throw new Faulty('菜单', `一级菜单须为 1-${menuLimits.buttons} 个，现有 ${buttons.length} 个`)
  }
  return buttons
}

const nameOf = (value: unknown) => (isEntry(value) && typeof value.name === 'string' ? `「${value.name}」` : '')

function readTop(value: unknown, index: number): MenuButton {
  const place = `第 ${index + 1} 个菜单${nameOf(value)}`
  if (!isEntry(value)) throw new Faulty(place, '须为对象')
  const below = readBelow(value, place)
  if (below.length === 0) return readEntry(value, place, menuLimits.name)
  if (below.length > menuLimits.below) {
    throw new Faulty(place, `二级菜单最多 ${menuLimits.below} 个，现有 ${below.length} 个`)
  }
  const name = readText(value, 'name', menuLimits.name, place)
  return { name, sub_button: below.map((entry, at) => readSecond(entry, `${place}下的第 ${at + 1} 项`)) }
}

/** A list as it is written, or an object with a list as it is read. */
function readBelow(entry: Entry, place: string): unknown[] {
  const below = own(entry, 'sub_button') ?? []
  const list = isEntry(below) ? (own(below, 'list') ?? []) : below
  if (!Array.isArray(list)) throw new Faulty(place, 'sub_button 须为列表')
  return list
}

function readSecond(value: unknown, at: string): MenuButton {
  const place = `${at}${nameOf(value)}`
  if (!isEntry(value)) throw new Faulty(place, '须为对象')
  if (readBelow(value, place).length > 0) throw new Faulty(place, '菜单最多两级')
  return readEntry(value, place, menuLimits.nameBelow)
}

function readEntry(entry: Entry, place: string, mostNameBytes: number): MenuButton {
  const name = readText(entry, 'name', mostNameBytes, place)
  const type = own(entry, 'type')
  if (typeof type !== 'string' || type === '') throw new Faulty(place, '缺少 type，也没有二级菜单')
  const made = Object.hasOwn(siteTypes, type.toLowerCase()) ? siteTypes[type.toLowerCase()] : undefined
  if (made) throw new Faulty(place, `「${made}」（${type}）只能在微信公众平台中设置，微信的接口无法保存`)
  const fields = Object.hasOwn(fieldsByType, type) ? fieldsByType[type] : undefined
  if (!fields) throw new Faulty(place, `微信的接口不支持类型 ${type}`)
  const values = fields.map((field) => [field, readText(entry, field, mostBytes(field), place)] as const)
  return { type, name, ...Object.fromEntries(values) }
}

const mostBytes = (field: string) => (field === 'url' || field === 'pagepath' ? menuLimits.url : menuLimits.key)

/** Characters that JSON can't carry as they are; WeChat refuses them in any other form. */
const uncarried = (text: string) => !text.isWellFormed() || [...text].some((character) => character < ' ')

function readText(entry: Entry, field: string, most: number, place: string): string {
  const text = own(entry, field)
  if (typeof text !== 'string' || text.trim() === '') throw new Faulty(place, `缺少 ${field}`)
  if (uncarried(text)) throw new Faulty(place, `${field} 含有不能使用的字符`)
  const size = bytes(text)
  if (size > most) throw new Faulty(place, `${field} 最长 ${most} 字节（一个汉字占 3 字节），现有 ${size} 字节`)
  if (field === 'url' && !/^https?:\/\/./i.test(text)) throw new Faulty(place, 'url 须以 http:// 或 https:// 开头')
  return text
}
