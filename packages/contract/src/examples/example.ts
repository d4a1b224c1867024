import type { Endpoint, InputOf, OutputOf } from '../endpoint.ts'
import type { Calls } from '../endpoints.ts'

/** What the document shows of any call. */
export interface CallExample {
  input?: unknown
  output: unknown
}

/** An upload shows its answer alone; a call without input has none to show. */
type ExampleOf<E extends Endpoint> =
  InputOf<E> extends { file: unknown }
    ? { output: OutputOf<E> }
    : Record<string, never> extends InputOf<E>
      ? { input?: InputOf<E>; output: OutputOf<E> }
      : { input: InputOf<E>; output: OutputOf<E> }

/** One for each call; a call without one is a type error. */
export type Examples = { [Name in keyof Calls]: ExampleOf<Calls[Name]> }
