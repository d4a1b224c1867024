import { csvLine } from './csv-record.ts'
import { type FieldName, fieldNames, type GivenWechat } from './imported-user.ts'
import type { FileFormat } from './read-batches.ts'
import type { StoredName, StoredUser } from './users-export.store.ts'

const isHash = (name: FieldName): boolean => name.startsWith('password')

/** What an import computes by itself is not in an export. */
const columnsOf = (withHashes: boolean): FieldName[] =>
  fieldNames.filter((name) => name !== 'sourceId' && (name === 'passwordHash' ? withHashes : !isHash(name)))

const provedAt = (names: StoredName[], kind: 'mobile' | 'email'): string | null =>
  names.find((name) => name.kind === kind)?.provedAt ?? null

function wechatsOf(names: StoredName[]): GivenWechat[] {
  const of = (prefix: string) =>
    names.flatMap(({ kind, value }) => (kind.startsWith(prefix) ? [[kind.slice(prefix.length), value] as const] : []))
  const unionids = new Map(of('wechat.unionid:'))
  return of('wechat.openid:').map(([appId, openid]) => {
    const unionid = unionids.get(appId)
    return { appId, openid, ...(unionid !== undefined && { unionid }) }
  })
}

const wechatCell = ({ appId, openid, unionid }: GivenWechat): string =>
  [appId, openid, ...(unionid === undefined ? [] : [unionid])].join(':')

const valuesOf = (user: StoredUser): Record<string, unknown> => ({
  ...user,
  mobileVerifiedAt: provedAt(user.names, 'mobile'),
  emailVerifiedAt: provedAt(user.names, 'email'),
  wechat: wechatsOf(user.names),
  passwordHash: user.secret,
})

/** Lines that an import takes back. */
export function exportLines(format: FileFormat, withHashes: boolean) {
  const columns = columnsOf(withHashes)
  function jsonLine(user: StoredUser): string {
    const values = valuesOf(user)
    const set = columns.filter(
      (name) => values[name] !== null && !(name === 'wechat' && wechatsOf(user.names).length === 0),
    )
    return `${JSON.stringify(Object.fromEntries(set.map((name) => [name, values[name]])))}\n`
  }
  function csvRow(user: StoredUser): string {
    const values: Record<string, unknown> = {
      ...valuesOf(user),
      wechat: wechatsOf(user.names).map(wechatCell).join(' '),
    }
    return csvLine(columns.map((name) => (values[name] === null ? null : String(values[name]))))
  }
  return {
    head: format === 'csv' ? csvLine(columns) : '',
    lineOf: format === 'csv' ? csvRow : jsonLine,
  }
}
