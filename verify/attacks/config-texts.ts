import { configSchema } from '../../apps/server/src/features/site/config-schema.ts'

interface Schema {
  type?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
}

/** Where texts stand in a config, lists and choices looked into. */
function leavesOf(schema: Schema, at = ''): string[] {
  const inner = [...(schema.items ? [schema.items] : []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
    leavesOf(each, at ? `${at}.${name}` : name),
  )
  return [...(schema.type === 'string' ? [at] : []), ...inner.flatMap((each) => leavesOf(each, at)), ...below]
}

/** Every place of a site's config that holds a text, as the contract describes it. */
export const configTexts = (): Set<string> =>
  new Set(leavesOf(configSchema.toJSONSchema({ io: 'input', unrepresentable: 'any' }) as Schema))
