/** A placeholder in a template: `{{thing2.DATA}}`. */
const placeholder = /\{\{(\w+)\.DATA\}\}/g

/** The names of a template's fields, each once, in their order. */
export const fieldsIn = (content: string): string[] => [
  ...new Set(Array.from(content.matchAll(placeholder), ([, name = '']) => name)),
]

/** The content with the values filled in; a field without one stays as it is. */
export const fillIn = (content: string, values: Readonly<Record<string, string>>): string =>
  content.replace(placeholder, (whole, name: string) => (Object.hasOwn(values, name) && values[name]) || whole)

/** WeChat still takes these two but no longer shows them. */
export const isUnshown = (field: string): boolean => field === 'first' || field === 'remark'

const chinese = /\p{Script=Han}/u
const length = (text: string) => [...text].length

const time =
  /^(?:\d{4}(?:年(?:1[0-2]|0?[1-9])月(?:3[01]|[12]\d|0?[1-9])日|[-/.]\d{1,2}[-/.]\d{1,2})\s*)?(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/
const date =
  /^\d{4}(?:年(?:1[0-2]|0?[1-9])月(?:3[01]|[12]\d|0?[1-9])日|[-/.]\d{1,2}[-/.]\d{1,2})(?:\s*(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?)?$/

/** A moment, or two with ~ between them. */
function isSpan(moment: RegExp, value: string): boolean {
  const moments = value.split('~', 3)
  return moments.length <= 2 && moments.every((each) => moment.test(each.trim()))
}

interface Rule {
  /** What the field takes, in words. */
  words: string
  fits: (value: string) => boolean
  /** WeChat's own description is vague: what doesn't fit may still be accepted. */
  unsure?: true
}

/** By the kind that a field's name begins with. */
const rules: Readonly<Record<string, Rule>> = {
  thing: { words: '最多 20 个字符', fits: (value) => length(value) <= 20 },
  character_string: {
    words: '最多 32 个字符，不含中文',
    fits: (value) => length(value) <= 32 && !chinese.test(value),
  },
  phrase: { words: '最多 5 个汉字', fits: (value) => /^\p{Script=Han}{1,5}$/u.test(value) },
  name: {
    words: '最多 10 个汉字或 20 个字母',
    fits: (value) => length(value) <= (chinese.test(value) ? 10 : 20),
  },
  number: {
    words: '须为数字，最多 32 位',
    fits: (value) => value.length <= 32 && /^-?\d+(?:\.\d+)?$/.test(value),
  },
  phone_number: { words: '须为电话号码，最多 17 位', fits: (value) => /^[\d+() -]{1,17}$/.test(value) },
  letter: { words: '最多 32 个字母', fits: (value) => /^[a-z]{1,32}$/i.test(value), unsure: true },
  symbol: { words: '最多 5 个符号', fits: (value) => /^[\p{P}\p{S}]{1,5}$/u.test(value), unsure: true },
  time: { words: '须为时间，如 15:01 或 2026年11月15日 15:01', fits: (value) => isSpan(time, value), unsure: true },
  date: { words: '须为日期，如 2026年11月15日', fits: (value) => isSpan(date, value), unsure: true },
  amount: {
    words: '须为金额，最多 10 位数字，可带币种符号和“元”',
    fits: (value) => /^\p{Sc}?\d{1,10}(?:\.\d+)?元?$/u.test(value),
    unsure: true,
  },
  car_number: {
    words: '须为车牌号，最多 8 位',
    fits: (value) => /^[\p{Script=Han}A-Z\d][A-Z\d]{1,6}[\p{Script=Han}A-Z\d]$/iu.test(value),
    unsure: true,
  },
  const: { words: '最多 20 个字符，且须为模板中设置的内容', fits: (value) => length(value) <= 20, unsure: true },
}

const ruleOf = (field: string): Rule | undefined => {
  const kind = /^([a-z_]+)\d*$/.exec(field)?.[1] ?? ''
  return Object.hasOwn(rules, kind) ? rules[kind] : undefined
}

/** What a field takes, in words; undefined for a kind that WeChat doesn't describe. */
export const fieldWords = (field: string): string | undefined => ruleOf(field)?.words

/** Whether WeChat refuses a value for certain, or may. */
export type FieldDoubt = 'bad' | 'unsure'

/** What is wrong with a value; nothing for an empty one. */
export function doubtAbout(field: string, value: string): FieldDoubt | undefined {
  const rule = ruleOf(field)
  if (!rule || value === '' || rule.fits(value)) return undefined
  return rule.unsure ? 'unsure' : 'bad'
}
