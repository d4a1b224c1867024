import type { Deps } from '../shared/deps.ts'

export type Print = (value: unknown) => void
export type Needs = Pick<Deps, 'db' | 'config' | 'cache'>
export type Command = (deps: Needs, args: string[]) => Promise<void>

export const required = (value: string | undefined, name: string): string => {
  if (!value) throw new Error(`${name} is missing; hufu --help shows how it is written`)
  return value
}
