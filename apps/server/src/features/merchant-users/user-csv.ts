import type { ExportedUser } from './user-list.store.ts'

const head = ['编号', '昵称', '区号', '手机号', '电子邮箱', '用户名', '状态', '注册时间', '最近访问']
const statuses = { active: '正常', disabled: '已停用' }

/** A spreadsheet runs a cell that begins like this as a formula; an apostrophe makes it text. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/

function cell(value: string | null): string {
  if (value === null) return ''
  const text = formula.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const line = (values: (string | null)[]) => `${values.map(cell).join(',')}\r\n`

/** With the byte order mark by which spreadsheets recognise the encoding. */
export const csvHead = `\uFEFF${line(head)}`

export const csvLines = (users: ExportedUser[]): string =>
  users
    .map(({ id, nickname, mobilePrefix, mobile, email, username, status, since, lastAccess }) =>
      line([id, nickname, mobilePrefix, mobile, email, username, statuses[status], since, lastAccess]),
    )
    .join('')
