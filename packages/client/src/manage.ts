import { randomUUID } from 'node:crypto'
import type { operations } from './api.ts'
import { type ManagedCall, managedCalls } from './calls.ts'
import { type ClientOptions, createTransport } from './transport.ts'

export type { ErrorCode } from './api-error.ts'
// biome-ignore lint/performance/noBarrelFile: the entry of the package
export { HufuError } from './api-error.ts'
export type { ClientOptions } from './transport.ts'

/** What a call doesn't take is typed as never. */
type Taken<Fields> = [Fields] extends [never] ? unknown : Fields
type PartOf<Operation, Part extends 'path' | 'query'> = Operation extends { parameters: { [P in Part]?: infer Fields } }
  ? Taken<NonNullable<Fields>>
  : unknown
type BodyOf<Operation> = Operation extends { requestBody?: { content: { 'application/json': infer Body } } }
  ? Taken<Body>
  : unknown
type Name = ManagedCall & keyof operations

/** What a call takes: the fields of its path, its query and its body together. */
export type InputOf<N extends Name> = PartOf<operations[N], 'path'> &
  PartOf<operations[N], 'query'> &
  BodyOf<operations[N]>
/** What it answers. */
export type OutputOf<N extends Name> = operations[N]['responses'][200]['content']['application/json']['data']

export interface CallOptions {
  /** Of a change; where it is left out each call has one of its own, which its retries share. */
  idempotencyKey?: string
  /** Of a change: refused with RESOURCE_CHANGED where this is no longer the tag of the resource. */
  ifMatch?: string
  signal?: AbortSignal
}

export interface Answer<Data> {
  data: Data
  /** The tag of what was read, for `ifMatch`. */
  etag: string | undefined
}

type Call<N extends Name> =
  Record<never, never> extends InputOf<N>
    ? (input?: InputOf<N>, options?: CallOptions) => Promise<Answer<OutputOf<N>>>
    : (input: InputOf<N>, options?: CallOptions) => Promise<Answer<OutputOf<N>>>

type Calls = { readonly [N in Name]: Call<N> }

/** The calls that answer page by page. */
type Paged = { [N in Name]: OutputOf<N> extends { data: unknown[]; next: string | null } ? N : never }[Name]
export type RowOf<N extends Paged> = OutputOf<N> extends { data: (infer Row)[] } ? Row : never

export interface ManageClient extends Calls {
  /** All rows of a list, page after page. */
  all<N extends Paged>(name: N, input?: Omit<InputOf<N>, 'cursor'>, options?: CallOptions): AsyncGenerator<RowOf<N>>
}

/** The address of a call, and what is left for its body. */
function addressOf(name: ManagedCall, input: Record<string, unknown>): { path: string; body: string | undefined } {
  const { method, path } = managedCalls[name]
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const filled = path.replace(/\{(\w+)\}/g, (_, field: string) => {
    const value = rest.get(field)
    rest.delete(field)
    if (value === undefined || value === '') throw new TypeError(`${name} needs ${field}`)
    return encodeURIComponent(String(value))
  })
  if (method === 'POST')
    return { path: filled, body: rest.size > 0 ? JSON.stringify(Object.fromEntries(rest)) : undefined }
  const query = new URLSearchParams([...rest].map(([field, value]) => [field, String(value)] as [string, string]))
  return { path: query.size > 0 ? `${filled}?${query}` : filled, body: undefined }
}

/** The management API as functions, named as in the OpenAPI document. Tokens are fetched and renewed by themselves. */
export function createManageClient(options: ClientOptions): ManageClient {
  const send = createTransport(options)

  async function call(name: ManagedCall, input: object = {}, own: CallOptions = {}): Promise<Answer<unknown>> {
    const { method, changes } = managedCalls[name]
    const headers: Record<string, string> = {}
    if (changes) headers['idempotency-key'] = own.idempotencyKey ?? randomUUID()
    if (own.ifMatch !== undefined) headers['if-match'] = own.ifMatch
    const answer = await send({ method, headers, signal: own.signal, ...addressOf(name, { ...input }) })
    const { data } = (await answer.json()) as { data: unknown }
    return { data, etag: answer.headers.get('etag') ?? undefined }
  }

  async function* all(name: ManagedCall, input: object = {}, own: CallOptions = {}): AsyncGenerator<unknown> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { data } = await call(name, { ...input, cursor }, own)
      const page = data as { data: unknown[]; next: string | null }
      yield* page.data
      cursor = page.next
    }
  }

  const names = Object.keys(managedCalls) as ManagedCall[]
  const calls = Object.fromEntries(
    names.map((name) => [name, (input?: object, own?: CallOptions) => call(name, input, own)]),
  )
  return { ...calls, all } as unknown as ManageClient
}
