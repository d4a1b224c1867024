import { doubtAbout, type FieldDoubt, fieldsIn, fieldWords, isUnshown } from '@hufu/contract/wechat-fields'
import { jsonFault } from '../../lib/json/json-fault.ts'
import type { EditorFault } from '../../ui/json-editor/json-marks.ts'
import type { merchantWechatZhCN } from './merchant-wechat.text.zh-CN.ts'

type Words = (typeof merchantWechatZhCN)['message']

/** Something about a parameter; only what is `broken` keeps the message from being sent. */
export type ParamFault = EditorFault & { weight: 'broken' | FieldDoubt }

export interface ReadParams {
  /** No JSON at all. */
  broken: boolean
  params: Record<string, string>
  faults: ParamFault[]
}

/** What an operator starts with: each field of the template, empty. */
export const blankParams = (content: string): string =>
  JSON.stringify(Object.fromEntries(fieldsIn(content).map((name) => [name, ''])), null, 2)

/** Reads what was written, as far as it can be read, with everything to say about it. */
export function readParams(text: string, content: string, words: Words): ReadParams {
  const broken = jsonFault(text)
  if (broken) return { broken: true, params: {}, faults: [{ ...broken, weight: 'broken' }] }
  const json: unknown = JSON.parse(text)
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return { broken: false, params: {}, faults: [{ path: [], message: words.paramsObject, weight: 'broken' }] }
  }
  const entries = Object.entries(json)
  const faults = entries.flatMap(([name, value]) => faultOf(name, value, content, words) ?? [])
  if (entries.length > 30) faults.unshift({ path: [], message: words.paramsMany, weight: 'broken' })
  const params = Object.fromEntries(entries.filter((entry): entry is [string, string] => isText(entry[1])))
  return { broken: false, params, faults }
}

/** No numbers: long ones would lose digits. */
const isText = (value: unknown): value is string => typeof value === 'string'

function faultOf(name: string, value: unknown, content: string, words: Words): ParamFault | undefined {
  const fault = (message: string, weight: ParamFault['weight'] = 'broken'): ParamFault => ({
    path: [name],
    message,
    weight,
  })
  if (!/^\w{1,64}$/.test(name)) return fault(words.paramsName)
  if (!isText(value)) return fault(words.paramsText)
  if (value.length > 500) return fault(words.paramsLong)
  if (!fieldsIn(content).includes(name)) return fault(words.paramsUnknown, 'unsure')
  const doubt = doubtAbout(name, value)
  const rule = fieldWords(name) ?? ''
  return doubt && fault(doubt === 'bad' ? words.refusedRule(rule) : words.perhapsRule(rule), doubt)
}

/** The fields that WeChat would show and that nothing was written for. */
export const unfilled = (content: string, params: Record<string, string>): string[] =>
  fieldsIn(content).filter((name) => !isUnshown(name) && !(Object.hasOwn(params, name) && params[name]))
