import { errorOf } from './api-error.ts'
import type { ClientOptions } from './transport.ts'

interface Token {
  text: string
  /** In the clock of this process. */
  expires: number
}

/** A token is replaced before it ends: it has to last for the call that it is sent with. */
const marginMs = 30_000

/** The current access token of the client. Calls at the same time wait for one request. */
export function createTokens(
  { clientId, clientSecret, scopes }: ClientOptions,
  request: (form: URLSearchParams) => Promise<Response>,
) {
  let token: Promise<Token> | undefined

  async function ask(): Promise<Token> {
    const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
    const form = new URLSearchParams({ ...grant, ...(scopes && { scope: scopes.join(' ') }) })
    const asked = performance.now()
    const answer = await request(form)
    if (!answer.ok) throw await errorOf(answer)
    const { access_token, expires_in } = (await answer.json()) as { access_token: string; expires_in: number }
    return { text: access_token, expires: asked + expires_in * 1000 - marginMs }
  }

  return {
    async current(): Promise<string> {
      const before = token
      const held = await before?.catch(() => undefined)
      if (held && held.expires > performance.now()) return held.text
      // The first of those who waited asks; the others find its request.
      if (token === before) token = ask()
      return (await (token ?? ask())).text
    },
    forget(): void {
      token = undefined
    },
  }
}
