import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import type { Consent } from './oidc.store.ts'

const { Check, Prompt } = interactionPolicy

type ReadConsent = (userId: string, clientId: string) => Promise<Consent | undefined>

/** When the page was shown that the request resumes from, in epoch seconds. */
const shownAt = ({ oidc }: KoaContextWithOIDC): number | undefined => oidc.entities.Interaction?.iat

const isThirdParty = ({ oidc }: KoaContextWithOIDC): boolean => oidc.client?.firstParty !== true

const pendingPrompt = ({ oidc }: KoaContextWithOIDC, name: string): boolean => oidc.prompts.has(name)

/** Whether the user has signed in since the page was shown. */
function hasSignedInSince(ctx: KoaContextWithOIDC): boolean {
  const shown = shownAt(ctx)
  return shown !== undefined && (ctx.oidc.session?.authTime() ?? 0) >= shown
}

/**
 * What a request waits for. An interaction carries no sign-in of its own: the request that resumes is judged again by
 * our session and our consents, so a planted link leads to no other account.
 */
export function interactionPrompts(readConsent: ReadConsent) {
  const prompts = interactionPolicy.base()

  const login = prompts.get('login')?.checks
  login?.remove('login_prompt')
  login?.add(
    new Check('login_prompt', 'login prompt was not resolved', 'login_required', (ctx) => {
      return pendingPrompt(ctx, 'login') && !hasSignedInSince(ctx)
    }),
    0,
  )
  login?.remove('max_age')
  login?.add(
    new Check('max_age', 'End-User authentication could not be obtained', 'login_required', (ctx) => {
      const { params, session } = ctx.oidc
      if (params?.max_age === undefined) return false
      if (!session?.accountId) return true
      return session.past(Number(params.max_age)) && !hasSignedInSince(ctx)
    }),
  )

  prompts.add(
    new Prompt(
      { name: 'select_account', requestable: false },
      new Check('select_account_prompt', 'no account was chosen', 'account_selection_required', (ctx) => {
        if (!pendingPrompt(ctx, 'select_account')) return false
        const chosen = ctx.oidc.entities.Interaction?.result?.account
        return !hasSignedInSince(ctx) && (chosen === undefined || chosen !== ctx.oidc.session?.uid)
      }),
    ),
    1,
  )

  async function hasConsentedSince(ctx: KoaContextWithOIDC): Promise<boolean> {
    const { account, client } = ctx.oidc
    const shown = shownAt(ctx)
    if (!account || !client || shown === undefined) return false
    const consent = await readConsent(account.accountId, client.clientId)
    return consent !== undefined && consent.givenAt >= shown
  }

  const consent = prompts.get('consent')?.checks
  consent?.remove('consent_prompt')
  consent?.add(
    new Check('consent_prompt', 'consent prompt was not resolved', 'consent_required', async (ctx) => {
      return pendingPrompt(ctx, 'consent') && isThirdParty(ctx) && !(await hasConsentedSince(ctx))
    }),
    0,
  )
  // Another app on the device may claim the same address, so a third party's app asks every time.
  consent?.remove('native_client_prompt')
  consent?.add(
    new Check(
      'native_client_prompt',
      'native clients require End-User interaction',
      'interaction_required',
      async (ctx) => {
        return ctx.oidc.client?.applicationType === 'native' && isThirdParty(ctx) && !(await hasConsentedSince(ctx))
      },
    ),
  )
  return prompts
}
