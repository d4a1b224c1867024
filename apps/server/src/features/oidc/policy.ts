import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import type { Consent } from './oidc.store.ts'
import { rememberedOf } from './remembered.ts'

const { Check, Prompt } = interactionPolicy

type ReadConsent = (userId: string, clientId: string) => Promise<Consent | undefined>

/** When the first page of the request was shown, in epoch seconds; undefined where none was. */
const shownAt = ({ oidc }: KoaContextWithOIDC): number | undefined => rememberedOf(oidc.entities.Interaction).beganAt

const isThirdParty = ({ oidc }: KoaContextWithOIDC): boolean => oidc.client?.firstParty !== true

const pendingPrompt = ({ oidc }: KoaContextWithOIDC, name: string): boolean => oidc.prompts.has(name)

/** Whether the user has signed in since then. */
function hasSignedInSince(ctx: KoaContextWithOIDC): boolean {
  const shown = shownAt(ctx)
  return shown !== undefined && (ctx.oidc.session?.authTime() ?? 0) >= shown
}

/** The provider reads the ID token when a request begins, and forgets it when it resumes. It was verified then. */
function readHintAgain({ oidc }: KoaContextWithOIDC): void {
  const { id_token_hint: hint } = oidc.params ?? {}
  if (typeof hint !== 'string' || oidc.entities.IdTokenHint) return
  const payload = JSON.parse(`${Buffer.from(hint.split('.')[1] ?? '', 'base64url')}`)
  oidc.entity('IdTokenHint', { payload } as never)
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

  const hint = login?.get('id_token_hint')
  login?.remove('id_token_hint')
  login?.add(
    new Check('id_token_hint', 'the ID token is of another user', 'login_required', async (ctx) => {
      readHintAgain(ctx)
      return (await hint?.check(ctx)) ?? false
    }),
  )

  const account = new Prompt({ name: 'select_account', requestable: true })
  account.checks.remove('select_account_prompt')
  account.checks.add(
    new Check('select_account_prompt', 'no account was chosen', 'account_selection_required', (ctx) => {
      if (!pendingPrompt(ctx, 'select_account')) return false
      const { account: chosen } = rememberedOf(ctx.oidc.entities.Interaction)
      return !hasSignedInSince(ctx) && (chosen === undefined || chosen !== ctx.oidc.session?.uid)
    }),
  )
  prompts.add(account, 1)

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
