import { type OidcScope, oidcPaths, type Interaction as ShownInteraction } from '@hufu/contract/oidc'
import type { Interaction } from 'oidc-provider'
import { AppError } from '../../../platform/app-error.ts'
import type { Deps } from '../../../shared/deps.ts'
import type { Caller } from '../../../shared/sessions/sessions.ts'
import { type OidcClient, shownClient } from '../../../shared/sites/oidc-clients.ts'
import type { Site } from '../../../shared/sites/sites.ts'
import { findOidcClient } from '../client-metadata.ts'
import { findItem } from '../oidc.store.ts'
import type { SiteProvider } from '../provider.ts'
import type { Remembered } from '../remembered.ts'
import { acceptedScopes, describeScope, isScope, recordConsent } from './consent-answer.ts'
import { stepOf } from './interaction-step.ts'

type Provider = SiteProvider['provider']

interface Pending {
  interaction: Interaction
  client: OidcClient
}

/** Only for the browser that began it: a link to another's sign-in shows and answers nothing. */
async function findPending(
  { db }: Pick<Deps, 'db'>,
  site: Site,
  provider: Provider,
  id: string,
  browser: string,
): Promise<Pending> {
  const stored = await findItem(db, site.id, 'Interaction', id)
  const interaction = stored?.payload.browser === browser ? await provider.Interaction.find(id) : undefined
  const client = interaction && findOidcClient(site, String(interaction.params.client_id))
  if (!interaction || !client) throw new AppError('AUTHORIZE_EXPIRED')
  return { interaction, client }
}

/** The scopes that the page asks for: the missing ones, or all where the client wants to be asked again. */
function askedScopes({ prompt, params }: Interaction): OidcScope[] {
  if (prompt.name !== 'consent') return []
  const { missingOIDCScope: missing } = prompt.details as { missingOIDCScope?: string[] }
  const again = prompt.reasons.some((reason) => reason !== 'op_scopes_missing')
  const requested = String(params.scope ?? '').split(' ')
  return (again ? requested : (missing ?? [])).filter(isScope)
}

const resumeOf = (id: string) => oidcPaths.resume.replace(':uid', encodeURIComponent(id))

export interface Asking {
  id: string
  /** The mark of the browser that asks. */
  browser: string
}

export async function readInteraction(
  deps: Pick<Deps, 'db'>,
  site: Site,
  provider: Provider,
  { id, browser }: Asking,
  caller: Caller | undefined,
): Promise<ShownInteraction> {
  const { interaction, client } = await findPending(deps, site, provider, id, browser)
  const { login_hint: hint } = interaction.params
  return {
    client: shownClient(site, client),
    step: stepOf(interaction.prompt, caller !== undefined),
    hint: typeof hint === 'string' ? hint : null,
    scopes: askedScopes(interaction).map((name) => describeScope(client, name)),
    resume: resumeOf(id),
  }
}

export interface Answer {
  accept: boolean
  scopes?: OidcScope[] | undefined
}

export async function answerInteraction(
  deps: Pick<Deps, 'db'>,
  site: Site,
  provider: Provider,
  { id, browser }: Asking,
  { caller, address }: { caller: Caller; address: string },
  { accept, scopes }: Answer,
): Promise<{ resume: string }> {
  const { interaction, client } = await findPending(deps, site, provider, id, browser)
  const { name } = interaction.prompt
  if (!accept) {
    interaction.result = { error: 'access_denied', error_description: 'the user declined' }
    await interaction.persist()
  } else if (name === 'select_account') {
    Object.assign(interaction, { account: `${caller.userId}.${caller.session.id}` } satisfies Remembered)
    await interaction.persist()
  } else if (name === 'consent') {
    await agree(deps, site, client, { caller, address }, askedScopes(interaction), scopes)
  }
  return { resume: resumeOf(id) }
}

async function agree(
  { db }: Pick<Deps, 'db'>,
  site: Site,
  client: OidcClient,
  { caller: { userId }, address }: { caller: Caller; address: string },
  asked: OidcScope[],
  agreed?: OidcScope[] | undefined,
): Promise<void> {
  const accepted = acceptedScopes(client, asked, agreed)
  await db.transaction().execute((tx) => recordConsent(tx, site, client, { userId, address }, { asked, accepted }))
}
