import { z } from 'zod'

/** Who may call. Everything but public is refused until the caller is authenticated. */
export type Access =
  | 'public'
  | 'user'
  | 'merchantRead'
  | 'merchantWrite'
  | 'merchantAdmin'
  /** A client's server, by client id and secret. */
  | 'client'

/** How often one network address may call, counted in a fixed window shared by all processes. */
export interface Limit {
  calls: number
  seconds: number
}

export interface Endpoint<
  Path extends string = string,
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
  Guard extends Access = Access,
> {
  path: Path
  /** One sentence for readers of the OpenAPI document. */
  summary: string
  access: Guard
  /** Needs a step-up of the last minutes in the caller's session; from a new browser by two kinds of identity proof. */
  stepUp: boolean
  /** Changes nothing and reveals nothing about a user, so it also answers callers that aren't our own pages. */
  harmless: boolean
  limit?: Limit
  /** Waiting pages poll it: under overload these calls wait first. */
  polled?: true
  /** The body is multipart with one file named `file`, of at most this many bytes. */
  upload?: { bytes: number }
  input: Input
  output: Output
}

type Optional = 'stepUp' | 'harmless'

/** Describes one POST call: path, guard, limit and shapes in one place. */
export function endpoint<
  const Path extends `/api/${string}`,
  Input extends z.ZodType,
  Output extends z.ZodType,
  const Guard extends Access,
>(
  description: Omit<Endpoint<Path, Input, Output, Guard>, Optional> & Partial<Pick<Endpoint, Optional>>,
): Endpoint<Path, Input, Output, Guard> {
  return { stepUp: false, harmless: false, ...description }
}

/** The input of a call that takes none; a body is tolerated and ignored. */
export const nothing = z.object({})

export type InputOf<E extends Endpoint> = z.input<E['input']>
export type ParsedInputOf<E extends Endpoint> = z.output<E['input']>
export type OutputOf<E extends Endpoint> = z.output<E['output']>
