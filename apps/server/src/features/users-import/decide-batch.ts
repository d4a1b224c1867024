import type { FieldName, ImportedName, ImportedUser, Refusal } from './imported-user.ts'
import type { TakenName } from './users-import.store.ts'

const keyOf = ({ kind, value }: Pick<ImportedName, 'kind' | 'value'>) => `${kind} ${value}`

const fieldOf = ({ kind }: Pick<ImportedName, 'kind'>): FieldName =>
  kind === 'mobile' || kind === 'email' || kind === 'username' ? kind : 'wechat'

/**
 * In the order of the lines: the first one that has a name gets it, and a refused line keeps none from a later one. A
 * line gets all of its names or is refused.
 */
export function decide(
  users: ImportedUser[],
  taken: TakenName[],
  takenIds: string[],
  earlierIds: ReadonlyMap<string, number> = new Map(),
): { accepted: ImportedUser[]; refusals: Refusal[] } {
  const owners = new Map(taken.map((name) => [keyOf(name), name]))
  const existing = new Set(takenIds)
  const lines = new Map(earlierIds)
  const accepted: ImportedUser[] = []
  const refusals: Refusal[] = []
  for (const user of users) {
    const found = refusalsOf(user, owners, existing, lines)
    refusals.push(...found)
    if (found.length > 0) continue
    accepted.push(user)
    for (const name of user.names) lines.set(keyOf(name), user.line)
    lines.set(user.id, user.line)
  }
  return { accepted, refusals }
}

function refusalsOf(
  { line, id, names }: ImportedUser,
  owners: Map<string, TakenName>,
  existing: Set<string>,
  lines: Map<string, number>,
): Refusal[] {
  const refusals: Refusal[] = []
  const sameId = lines.get(id)
  if (existing.has(id)) refusals.push({ line, field: 'id', code: 'ID_TAKEN', user: id })
  else if (sameId !== undefined) refusals.push({ line, field: 'id', code: 'NAME_DUPLICATE', first: sameId })
  for (const name of names) {
    const field = fieldOf(name)
    const owner = owners.get(keyOf(name))
    const first = lines.get(keyOf(name)) ?? owner?.first ?? undefined
    if (first !== undefined) refusals.push({ line, field, code: 'NAME_DUPLICATE', first })
    else if (owner?.user) refusals.push({ line, field, code: 'NAME_TAKEN', user: owner.user })
  }
  return refusals
}
