import { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { MachineScope } from './machine-scopes.ts'

/** Who may call. Everything but public is refused until the caller is authenticated. */
export type Access =
  | 'public'
  | 'user'
  | 'merchantRead'
  | 'merchantWrite'
  | 'merchantAdmin'
  /** A client's server, by client id and secret. */
  | 'client'
  /** A client of kind `machine`, by a token of its own with the scope of the call. */
  | 'machine'

/** How often one network address, or one client of kind `machine`, may call, counted in a fixed window shared by all processes. */
export interface Limit {
  calls: number
  seconds: number
}

export type Method = 'GET' | 'POST'

export interface Endpoint<
  Path extends string = string,
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
  Guard extends Access = Access,
> {
  /** POST but for reads of the management API. */
  method: Method
  path: Path
  /** One sentence for readers of the OpenAPI document. */
  summary: string
  access: Guard
  /** Of calls of machines alone: what a token needs. */
  scope?: MachineScope
  /** Of calls of machines alone: it takes an Idempotency-Key. */
  changes?: true
  /** Of calls of machines alone: the answer carries an ETag, or a change takes it as If-Match. */
  tagged?: true
  /** Needs a step-up of the last minutes in the caller's session; from a new browser by two kinds of identity proof. */
  stepUp: boolean
  /** Changes nothing and reveals nothing about a user, so it also answers callers that aren't our own pages. */
  harmless: boolean
  limit?: Limit
  /** Waiting pages poll it: under overload these calls wait first. */
  polled?: true
  /** The body is multipart with one file named `file`, of at most this many bytes. */
  upload?: { bytes: number }
  /** The codes that the call itself answers, besides those of its guard, its limit and its body. */
  errors?: readonly ErrorCode[]
  input: Input
  output: Output
}

type Optional = 'method' | 'stepUp' | 'harmless'

/** Describes one call by POST: path, guard, limit and shapes in one place. */
export function endpoint<
  const Path extends `/api/${string}`,
  Input extends z.ZodType,
  Output extends z.ZodType,
  const Guard extends Access,
>(
  description: Omit<Endpoint<Path, Input, Output, Guard>, Optional> & Partial<Pick<Endpoint, Optional>>,
): Endpoint<Path, Input, Output, Guard> {
  return { method: 'POST', stepUp: false, harmless: false, ...description }
}

type Managed<Path extends string, Input extends z.ZodType, Output extends z.ZodType> = Pick<
  Endpoint<Path, Input, Output>,
  'method' | 'path' | 'summary' | 'changes' | 'tagged' | 'limit' | 'errors' | 'input' | 'output'
> & { scope: MachineScope }

/**
 * Describes one call of the management API: GET reads, POST changes. What the path names after a colon is part of the
 * input, as is the query of a GET.
 */
export function managed<
  const Path extends `/api/manage/v1/${string}`,
  Input extends z.ZodType,
  Output extends z.ZodType,
>(description: Managed<Path, Input, Output>): Endpoint<Path, Input, Output, 'machine'> {
  return { access: 'machine', stepUp: false, harmless: false, limit: { calls: 600, seconds: 60 }, ...description }
}

/** The names of what a path carries. */
export const pathFields = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)

/** How an input is sent: what the path names in the path, the rest as the query of a GET or as the body. */
export function requestOf(
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  input: object,
): { url: string; body?: object } {
  const rest: Record<string, unknown> = { ...input }
  const url = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = encodeURIComponent(String(rest[name]))
    delete rest[name]
    return value
  })
  if (method === 'POST') return { url, body: rest }
  const query = new URLSearchParams(
    Object.entries(rest).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
  return { url: query.size > 0 ? `${url}?${query}` : url }
}

/** The input of a call that takes none; a body is tolerated and ignored. */
export const nothing = z.object({})

export type InputOf<E extends Endpoint> = z.input<E['input']>
export type ParsedInputOf<E extends Endpoint> = z.output<E['input']>
export type OutputOf<E extends Endpoint> = z.output<E['output']>
