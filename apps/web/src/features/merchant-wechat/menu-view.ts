import { belowIn, buttonsIn, siteTypeName } from '@hufu/contract/wechat-menu'
import type { merchantWechatZhCN } from './merchant-wechat.text.zh-CN.ts'

/** An entry of a menu as a user sees it in WeChat. */
export interface ShownButton {
  name: string
  /** What a tap does, in words. */
  kind: string
  /** Where a tap leads: an address, a key, a page of a mini program. */
  target: string
  below: ShownButton[]
}

type Entry = Record<string, unknown>
type Words = (typeof merchantWechatZhCN)['menu']

const isEntry = (value: unknown): value is Entry => typeof value === 'object' && value !== null && !Array.isArray(value)
const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

/** The menu as far as it can be drawn, be it faulty or half written. */
export function shownMenu(data: unknown, words: Words): ShownButton[] {
  const { list } = buttonsIn(data)
  return entriesOf(list).map((entry) => {
    const below = entriesOf(belowIn(entry).list).map((each) => shownButton(each, words))
    return below.length > 0 ? { ...shownButton(entry, words), kind: '', target: '', below } : shownButton(entry, words)
  })
}

const entriesOf = (list: unknown): Entry[] => (Array.isArray(list) ? list.filter(isEntry) : [])

const shownButton = (entry: Entry, words: Words): ShownButton => ({
  name: textOf(entry.name).trim() || words.noName,
  kind: kindOf(textOf(entry.type), words),
  target: targetOf(entry),
  below: [],
})

function kindOf(type: string, words: Words): string {
  if (type === '') return words.noKind
  if (Object.hasOwn(words.kinds, type)) return words.kinds[type] ?? ''
  return siteTypeName(type) ?? words.unknownKind(type)
}

/** The first of these that the entry has. */
const targets = ['pagepath', 'url', 'key', 'media_id', 'article_id', 'value']

const targetOf = (entry: Entry) => targets.map((field) => textOf(entry[field])).find((text) => text !== '') ?? ''
