import type { Path } from './json-position.ts'

/** The part of JSON Schema that completion and hints need. */
export interface JsonSchema {
  type?: string
  description?: string
  properties?: Record<string, JsonSchema>
  additionalProperties?: JsonSchema | boolean
  items?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  const?: unknown
  enum?: unknown[]
  examples?: unknown[]
}

const shapes = (schema: JsonSchema): JsonSchema[] => [
  schema,
  ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap(shapes),
]

function inside(schema: JsonSchema, step: string | number): JsonSchema[] {
  if (typeof step === 'number') return schema.items ? [schema.items] : []
  const { properties = {}, additionalProperties: rest } = schema
  const known = Object.hasOwn(properties, step) ? properties[step] : undefined
  return known ? [known] : typeof rest === 'object' ? [rest] : []
}

/** Every schema that applies at a position. */
function schemasAt(schema: JsonSchema, path: Path): JsonSchema[] {
  return path.reduce<JsonSchema[]>(
    (here, step) => here.flatMap((each) => inside(each, step)).flatMap(shapes),
    shapes(schema),
  )
}

export const sentenceAt = (schema: JsonSchema, path: Path): string | undefined =>
  schemasAt(schema, path).find(({ description }) => description)?.description

/** The keys allowed in the object at a position, with their description. */
export const keysAt = (schema: JsonSchema, path: Path): [string, JsonSchema][] => [
  ...new Map(schemasAt(schema, path).flatMap(({ properties = {} }) => Object.entries(properties))),
]

/** The known values at a position. */
export function valuesAt(schema: JsonSchema, path: Path): unknown[] {
  const found = schemasAt(schema, path).flatMap((each) => [
    ...(each.enum ?? each.examples ?? []),
    ...(each.const === undefined ? [] : [each.const]),
    ...(each.type === 'boolean' ? [true, false] : []),
  ])
  return [...new Set(found)]
}

const openings: Record<string, string> = { string: '""', array: '[]', object: '{}' }

/** What a value of this shape begins as. */
export const openingOf = (schema: JsonSchema): string =>
  openings[shapes(schema).find(({ type }) => type)?.type ?? ''] ?? ''
