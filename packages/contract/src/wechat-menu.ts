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

/** The path to a value. */
export type MenuPath = (string | number)[]

/** A fault of a menu, with its position, in words for its editor. */
export interface MenuFault {
  place: string
  reason: string
  path: MenuPath
}

export type MenuResult = { menu: WechatMenu } | { faults: [MenuFault, ...MenuFault[]] }

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

/** Created on WeChat's own site: they can be read, but no call writes them. */
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

/** The position of an entry, for display and for an editor. */
interface Spot {
  place: string
  path: MenuPath
}

class Faulty extends Error {
  readonly fault: MenuFault
  /** `field`: of the entry at that spot. */
  constructor({ place, path }: Spot, reason: string, field?: string) {
    super(reason)
    this.fault = { place, reason, path: field === undefined ? path : [...path, field] }
  }
}

/**
 * Converts the menu that WeChat returns, or one in the shape that it takes, into the latter. Nothing is dropped
 * silently: the first fault of each entry is reported.
 */
export function convertMenu(data: unknown): MenuResult {
  const faults: MenuFault[] = []
  const button = attempt(faults, () => {
    const { list, spot } = readButtons(data)
    return each(faults, list, (value, index) => readTop(faults, value, topSpot(spot, value, index)))
  })
  const [first, ...more] = faults
  return first ? { faults: [first, ...more] } : { menu: { button: button ?? [] } }
}

/** A parser's result, or its fault among the others. */
function attempt<Value>(faults: MenuFault[], read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Faulty)) throw error
    faults.push(error.fault)
    return undefined
  }
}

const each = (faults: MenuFault[], list: unknown[], read: (value: unknown, index: number) => MenuButton) =>
  list.flatMap((value, index) => attempt(faults, () => read(value, index)) ?? [])

const isEntry = (value: unknown): value is Entry => typeof value === 'object' && value !== null && !Array.isArray(value)
const own = (entry: Entry, field: string) => (Object.hasOwn(entry, field) ? entry[field] : undefined)
const bytes = (text: string) => new TextEncoder().encode(text).length
const nameOf = (value: unknown) => (isEntry(value) && typeof value.name === 'string' ? `「${value.name}」` : '')

/** The first row, unwrapped, and its position. */
export function buttonsIn(data: unknown): { list: unknown; path: MenuPath } {
  const outer = isEntry(data) ? data : {}
  const wrap = ['selfmenu_info', 'menu'].find((field) => (own(outer, field) ?? undefined) !== undefined)
  const inner = wrap === undefined ? outer : own(outer, wrap)
  const path = wrap === undefined ? [] : [wrap]
  return { list: isEntry(inner) ? own(inner, 'button') : undefined, path: [...path, 'button'] }
}

function readButtons(data: unknown): { list: unknown[]; spot: Spot } {
  const { list, path } = buttonsIn(data)
  const spot = { place: '菜单', path }
  if (!Array.isArray(list)) throw new Faulty({ ...spot, path: path.slice(0, -1) }, '缺少 button 列表')
  if (list.length < 1 || list.length > menuLimits.buttons) {
    throw new Faulty(spot, `一级菜单须为 1-${menuLimits.buttons} 个，现有 ${list.length} 个`)
  }
  return { list, spot }
}

const topSpot = ({ path }: Spot, value: unknown, index: number): Spot => ({
  place: `第 ${index + 1} 个菜单${nameOf(value)}`,
  path: [...path, index],
})

function readTop(faults: MenuFault[], value: unknown, spot: Spot): MenuButton {
  if (!isEntry(value)) throw new Faulty(spot, '须为对象')
  const { list, path } = belowIn(value)
  if (!Array.isArray(list)) throw new Faulty(spot, 'sub_button 须为列表', 'sub_button')
  if (list.length === 0) return readEntry(value, spot, menuLimits.name)
  if (list.length > menuLimits.below) {
    throw new Faulty(spot, `二级菜单最多 ${menuLimits.below} 个，现有 ${list.length} 个`, 'sub_button')
  }
  const name = readText(value, 'name', menuLimits.name, spot)
  const secondSpot = (entry: unknown, at: number): Spot => ({
    place: `${spot.place}下的第 ${at + 1} 项${nameOf(entry)}`,
    path: [...spot.path, ...path, at],
  })
  return { name, sub_button: each(faults, list, (entry, at) => readSecond(entry, secondSpot(entry, at))) }
}

/** A list as it is written, or an object with a list as it is read. */
export function belowIn(entry: Entry): { list: unknown; path: MenuPath } {
  const below = own(entry, 'sub_button') ?? []
  if (!isEntry(below)) return { list: below, path: ['sub_button'] }
  return { list: own(below, 'list') ?? [], path: ['sub_button', 'list'] }
}

function readSecond(value: unknown, spot: Spot): MenuButton {
  if (!isEntry(value)) throw new Faulty(spot, '须为对象')
  const { list } = belowIn(value)
  if (!Array.isArray(list)) throw new Faulty(spot, 'sub_button 须为列表', 'sub_button')
  if (list.length > 0) throw new Faulty(spot, '菜单最多两级', 'sub_button')
  return readEntry(value, spot, menuLimits.nameBelow)
}

function readEntry(entry: Entry, spot: Spot, mostNameBytes: number): MenuButton {
  const name = readText(entry, 'name', mostNameBytes, spot)
  const type = own(entry, 'type')
  if (typeof type !== 'string' || type === '') throw new Faulty(spot, '缺少 type，也没有二级菜单')
  const made = siteTypeName(type)
  if (made) throw new Faulty(spot, `「${made}」（${type}）只能在微信公众平台中设置，微信的接口无法保存`, 'type')
  const fields = Object.hasOwn(fieldsByType, type) ? fieldsByType[type] : undefined
  if (!fields) throw new Faulty(spot, `微信的接口不支持类型 ${type}`, 'type')
  const values = fields.map((field) => [field, readText(entry, field, mostBytes(field), spot)] as const)
  return { type, name, ...Object.fromEntries(values) }
}

/** The name of an entry type that only WeChat's own site creates. */
export const siteTypeName = (type: string): string | undefined =>
  Object.hasOwn(siteTypes, type.toLowerCase()) ? siteTypes[type.toLowerCase()] : undefined

const mostBytes = (field: string) => (field === 'url' || field === 'pagepath' ? menuLimits.url : menuLimits.key)

/** Characters that JSON can't carry literally; WeChat refuses them in any other form. */
const uncarried = (text: string) => /\p{Surrogate}/u.test(text) || [...text].some((character) => character < ' ')

function readText(entry: Entry, field: string, most: number, spot: Spot): string {
  const text = own(entry, field)
  if (text === undefined) throw new Faulty(spot, `缺少 ${field}`)
  if (typeof text !== 'string' || text.trim() === '') throw new Faulty(spot, `缺少 ${field}`, field)
  if (uncarried(text)) throw new Faulty(spot, `${field} 含有不能使用的字符`, field)
  const size = bytes(text)
  if (size > most) throw new Faulty(spot, `${field} 最长 ${most} 字节（一个汉字占 3 字节），现有 ${size} 字节`, field)
  if (field === 'url' && !/^https?:\/\/./i.test(text)) {
    throw new Faulty(spot, 'url 须以 http:// 或 https:// 开头', field)
  }
  return text
}
