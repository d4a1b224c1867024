import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const project = join(import.meta.dirname, '../..')

export interface Instruction {
  name: string
  rest: string
}

/** The steps of a Dockerfile, in its order. */
export function instructionsIn(text: string): Instruction[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
  return lines.filter(Boolean).map((line) => {
    const [, name = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    if (!name) throw new Error(`not understood: ${line}`)
    return { name, rest }
  })
}

/** What is run, with what and by whom; the last of each counts, as for an image. */
export interface Image {
  environment: Record<string, string>
  user: string
  entrypoint: string[]
  command: string[]
  healthcheck: string[]
}

/** Settings of the last stage. */
export function imageOf(instructions: Instruction[]): Image {
  const stage = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'))
  const last = (wanted: string) => stage.findLast(({ name }) => name === wanted)?.rest ?? ''
  const list = (text: string) => JSON.parse(text.slice(text.indexOf('['))) as string[]
  return {
    environment: Object.fromEntries(
      stage.flatMap(({ name, rest }) => (name === 'ENV' ? rest.split(' ').map((pair) => pair.split('=')) : [])),
    ) as Record<string, string>,
    user: last('USER'),
    entrypoint: list(last('ENTRYPOINT')),
    command: list(last('CMD')),
    healthcheck: list(last('HEALTHCHECK')),
  }
}

export const readDockerfile = (): Instruction[] =>
  instructionsIn(readFileSync(join(project, 'deploy/Dockerfile'), 'utf8'))

/** Whether a builder is given a file, by the lines of .dockerignore; those that aren't plain are refused. */
export function givenToBuilder(ignored: string): (path: string) => boolean {
  const lines = ignored.split('\n').filter((line) => line && !line.startsWith('#'))
  const patterns = lines.map((line) => {
    const [, anywhere, name = ''] = /^(\*\*\/)?([\w./-]+)$/.exec(line) ?? []
    if (!name) throw new Error(`.dockerignore: not understood: ${line}`)
    return { anywhere: anywhere !== undefined, name }
  })
  return (path) =>
    !patterns.some(({ anywhere, name }) =>
      anywhere ? path.split('/').includes(name) : path === name || path.startsWith(`${name}/`),
    )
}
