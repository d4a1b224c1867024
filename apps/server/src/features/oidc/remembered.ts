import type { Interaction, Provider } from 'oidc-provider'

/** What a request remembers over all of its pages, beside what the provider does. */
export interface Remembered {
  /** The mark of the browser that began it. */
  browser?: string | undefined
  /** When its first page was shown, in epoch seconds. */
  beganAt?: number | undefined
  /** The session whose account was chosen. */
  account?: string | undefined
}

const fields = ['browser', 'beganAt', 'account'] as const satisfies (keyof Remembered)[]

/** The provider stores the fields of an interaction that its class lists. */
export function rememberMore({ Interaction }: Provider): void {
  const known = (Interaction as unknown as { IN_PAYLOAD: string[] }).IN_PAYLOAD
  Object.defineProperty(Interaction, 'IN_PAYLOAD', { value: [...known, ...fields] })
}

export function rememberedOf(interaction: Interaction | undefined): Remembered {
  const { browser, beganAt, account } = (interaction ?? {}) as Remembered
  return { browser, beganAt, account }
}
