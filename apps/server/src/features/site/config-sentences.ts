import type { ConfigFault } from '@hufu/contract/merchant-config'
import type { z } from 'zod'

type RawIssue = Parameters<z.core.$ZodErrorMap>[0]
type Issue = z.core.$ZodIssue

const kinds: Record<string, string> = {
  string: '文本',
  number: '数字',
  int: '整数',
  boolean: 'true 或 false',
  array: '列表 […]',
  object: '对象 {…}',
  record: '对象 {…}',
}

const counted: Record<string, (count: string) => string> = {
  string: (count) => `${count} 个字符`,
  array: (count) => `${count} 项`,
}

const amount = (origin: string, count: unknown) => counted[origin]?.(String(count)) ?? String(count)

function tooSmall(origin: string, minimum: unknown): string {
  if (origin === 'string' && minimum === 1) return '不能为空'
  return `不能少于 ${amount(origin, minimum)}`
}

const typeName = (expected: string) => kinds[expected] ?? '其他类型'

/** Of each allowed shape the type that it expects at the position itself. */
const wantedTypes = (branches: Issue[][]) =>
  branches.flatMap((branch) =>
    branch.flatMap((issue) => (issue.code === 'invalid_type' ? typeName(issue.expected) : [])),
  )

const oneOf = (values: readonly unknown[]) => `只能是 ${values.map((value) => JSON.stringify(value)).join('、')}`

/** The field that decides between the shapes is missing or holds none of its values. */
function wantedValue({ discriminator, options, input }: Extract<RawIssue, { code: 'invalid_union' }>): string {
  const name = discriminator ?? ''
  const given = (input as Record<string, unknown> | undefined)?.[name]
  return given === undefined ? `缺少 ${name}` : oneOf(options as readonly unknown[])
}

/** What is wrong, for the operator who wrote it; a rule with a sentence of its own has said it already. */
export function configSentence(issue: RawIssue): string {
  if (issue.code === 'invalid_union' && 'options' in issue) return wantedValue(issue)
  if (issue.code === 'invalid_union') return `须为${wantedTypes(issue.errors).join('或')}`
  if (issue.input === undefined) return `缺少 ${String(issue.path?.at(-1) ?? '')}`
  if (issue.code === 'invalid_type') return `须为${typeName(issue.expected)}`
  if (issue.code === 'invalid_value') return oneOf(issue.values)
  if (issue.code === 'too_big') return `不能超过 ${amount(issue.origin, issue.maximum)}`
  if (issue.code === 'too_small') return tooSmall(issue.origin, issue.minimum)
  if (issue.code === 'invalid_format' && issue.format === 'email') return '须为电子邮箱地址'
  return '填写的内容不符合要求'
}

/** Of several allowed shapes the one that was meant; of a key what is wrong with the key. */
export function flatIssues(issue: Issue, before: PropertyKey[] = []): ConfigFault[] {
  const path = [...before, ...issue.path]
  if (issue.code === 'invalid_union') {
    const meant = issue.errors.find((branch) => !branch.some(({ code, path: at }) => code === 'invalid_type' && !at[0]))
    if (meant) return meant.flatMap((inner) => flatIssues(inner, path))
  }
  const message = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message
  return [{ path: path as ConfigFault['path'], message }]
}
