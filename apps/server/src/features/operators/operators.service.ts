import { shortId } from '@hufu/contract/merchant-rights'
import type { OperatorAction, OperatorEntry } from '@hufu/contract/operators'
import { isUuid } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { readNames } from '../../shared/users/names.store.ts'
import { findUsers } from '../users/user.store.ts'
import { type LogLine, listLines, type WantedLines } from './operators.store.ts'

type Needs = Pick<Deps, 'db'>

/**
 * What may be shown of each record. Fields that aren't named stay in the database: menus, search texts, ids of
 * messages.
 */
const shown: Record<OperatorAction, readonly string[]> = {
  'site.create': [],
  'site.change': ['origin', 'hosts', 'status'],
  'config.save': ['changed'],
  'config.restore': ['changed', 'restored'],
  'config.picture': [],
  'user.create': [],
  'user.read': [],
  'user.reveal': ['field'],
  'user.enable': [],
  'user.disable': [],
  'user.signOut': ['count'],
  'user.releaseMobile': ['reason'],
  'user.cancelRecovery': ['reason'],
  'user.resetFactors': ['reason', 'by'],
  'user.grant': ['area', 'actions'],
  'user.rights': ['before', 'after'],
  'user.import': ['count', 'refused'],
  'user.export': ['search', 'only', 'from', 'to', 'count', 'withHashes'],
  'user.exportFile': ['count'],
  'user.endSession': [],
  'client.grant': ['scopes', 'added'],
  'client.read': ['count'],
  'wechat.token': [],
  'wechat.menu': [],
  'wechat.send': ['templateId'],
  'feedback.reply': [],
  'feedback.status': ['status'],
  'reply.save': ['title'],
  'reply.remove': ['title'],
  'sealed.read': ['reason'],
  'keys.rotate': [],
  'webhook.resume': [],
}

/** Actions whose target is a user. */
const toUsers: readonly OperatorAction[] = [
  'user.create',
  'user.read',
  'user.reveal',
  'user.enable',
  'user.disable',
  'user.signOut',
  'user.endSession',
  'user.releaseMobile',
  'user.cancelRecovery',
  'user.resetFactors',
  'user.grant',
  'user.rights',
  'wechat.send',
]

const userOf = ({ action, target }: LogLine) => (toUsers.includes(action) ? target : null)

/** More users than this never share an id's prefix. */
const mostAlike = 10

/** A whole id is used directly: the user may be erased, the records are not. */
async function idsOf({ db }: Needs, site: Site, given: string | undefined): Promise<string[] | undefined> {
  if (given === undefined) return undefined
  return isUuid(given) ? [given] : await findUsers(db, site.id, given, mostAlike)
}

export interface WantedLog extends Pick<WantedLines, 'action' | 'from' | 'to' | 'top' | 'skip'> {
  operator?: string | undefined
  person?: string | undefined
}

export async function queryLog(
  deps: Needs,
  site: Site,
  { operator, person, ...wanted }: WantedLog,
): Promise<{ count: number; more: boolean; data: OperatorEntry[] }> {
  const [operators, targets] = [await idsOf(deps, site, operator), await idsOf(deps, site, person)]
  const { data, ...counted } = await listLines(deps.db, site.id, { ...wanted, operators, targets })
  const ids = data.flatMap((line) => [line.operator, userOf(line) ?? '']).filter(isUuid)
  const names = await readNames(deps.db, site.id, [...new Set(ids)])
  return { ...counted, data: data.map((line) => entryOf(site, line, names)) }
}

type Names = Awaited<ReturnType<typeof readNames>>

/** A user by their own nickname, else by their short id; erased ones have none. */
const named = (id: string, names: Names) => ({ id, name: names.has(id) ? (names.get(id) ?? shortId(id)) : null })

/** One that was removed has no name. */
function clientOf(site: Site, operator: string) {
  const id = /^client:(.+)$/.exec(operator)?.[1]
  if (id === undefined) return null
  return { id, name: site.config.clients?.find((client) => client.id === id)?.name ?? null }
}

function entryOf(site: Site, line: LogLine, names: Names): OperatorEntry {
  const { id, time, operator, action, target, detail } = line
  const user = userOf(line)
  return {
    id,
    time,
    operator: isUuid(operator) ? named(operator, names) : null,
    by: /^cli:(.+)$/.exec(operator)?.[1] ?? null,
    client: clientOf(site, operator),
    action,
    person: user === null ? null : named(user, names),
    target: user === null ? target : null,
    detail: Object.fromEntries((shown[action] ?? []).flatMap((key) => (key in detail ? [[key, detail[key]]] : []))),
  }
}
