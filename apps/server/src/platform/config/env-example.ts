import { z } from 'zod'
import { named } from './config.ts'

interface Variable {
  name: string
  /** What it is for. */
  sentence: string
  /** The default; undefined where there is none. */
  otherwise: string | undefined
  sample: string
  required: boolean
}

/** Every variable that the product reads. */
export function environmentVariables(): Variable[] {
  const { properties = {}, required = [] } = z.toJSONSchema(named, { io: 'input' })
  return Object.entries(named.shape).map(([name, field]) => {
    const { description = '', sample = '' } = field.meta() ?? {}
    const { default: value } = properties[name] as { default?: unknown }
    const otherwise = value === undefined ? undefined : String(value)
    return { name, sentence: description, otherwise, sample: String(sample), required: required.includes(name) }
  })
}

const lines = ({ name, sentence, otherwise, sample, required }: Variable): string =>
  `# ${sentence}\n${required ? '' : '#'}${name}=${otherwise ?? sample}\n`

/** An environment file in which only the required variables have to be filled in. */
export function envExample(): string {
  const [given, optional] = [true, false].map((wanted) =>
    environmentVariables()
      .filter(({ required }) => required === wanted)
      .map(lines)
      .join('\n'),
  )
  return `# The environment of \`hufu serve\`, \`hufu work\` and every other command. Only they should be able to read it.

${given}
# The following settings are optional. Each is shown with its default value or an example.

${optional}`
}
