type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Inherited properties are no change. */
const own = (object: Json, key: string) => (Object.hasOwn(object, key) ? object[key] : undefined)

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/**
 * Two operators began with the same object: theirs, and on top of it whatever I changed. Where both changed the same thing
 * mine wins; lists are replaced as a whole.
 */
export function mergeJson(base: Json, theirs: Json, mine: Json): Json {
  const keys = [...new Set([...Object.keys(theirs), ...Object.keys(mine)])]
  const merged = keys.map((key) => [key, mergeValue(own(base, key), own(theirs, key), own(mine, key))] as const)
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined))
}

function mergeValue(base: unknown, theirs: unknown, mine: unknown): unknown {
  if (same(base, mine)) return theirs
  if (isObject(theirs) && isObject(mine)) return mergeJson(isObject(base) ? base : {}, theirs, mine)
  return mine
}
