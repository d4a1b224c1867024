import { z } from 'zod'

/** A JSON Schema, as plain data. */
export type Schema = Record<string, unknown>

export type Direction = 'input' | 'output'

const path = '#/components/schemas/'

export const refTo = (name: string): Schema => ({ $ref: path + name })

/** Replies may get new fields: callers ignore what they don't know. */
const open = ({ jsonSchema }: { jsonSchema: Schema }) => {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
}

/** The named schemas of a document. Types with an id in the contract appear once, wherever they are used. */
export class Schemas {
  readonly all: Record<string, Schema> = {}

  /** Takes a name once; the same name for something else is a mistake in the contract. */
  add(name: string, schema: Schema): Schema {
    const known = this.all[name]
    if (known && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two schemas are named ${name}; one that differs between input and output can't have an id`)
    this.all[name] = schema
    return refTo(name)
  }

  /** The schema of a type of the contract; what has an id becomes a reference. */
  of(type: z.ZodType, io: Direction): Schema {
    const made = z.toJSONSchema(z.object({ type }), { io, unrepresentable: 'any', override: open })
    const text = JSON.stringify(made).replaceAll('"#/$defs/', `"${path}`)
    const { properties, $defs } = JSON.parse(text) as { properties: { type: Schema }; $defs?: Record<string, Schema> }
    for (const [name, schema] of Object.entries($defs ?? {})) this.add(name, schema)
    return properties.type
  }

  /** The same under a name of its own, unless it has one. */
  named(name: string, type: z.ZodType, io: Direction): Schema {
    const schema = this.of(type, io)
    return '$ref' in schema ? schema : this.add(name, schema)
  }

  /** Follows a reference. */
  resolve(schema: Schema): Schema {
    return typeof schema.$ref === 'string' ? (this.all[schema.$ref.slice(path.length)] ?? {}) : schema
  }
}
