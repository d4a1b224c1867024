import { keyedHash } from '../../platform/crypto/hash.ts'
import type { SiteId } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'
import { readPasswordForms } from './password-forms.store.ts'

/**
 * The form of the hash that a name without a password seems to have; undefined for our own. It is drawn by the name, once
 * and for all, in the proportions of the site's passwords: a slow refusal is as likely for a name with an account as for
 * one without.
 */
export async function decoyForm(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  siteId: SiteId,
  name: string,
): Promise<string | undefined> {
  const forms = await readPasswordForms(db, siteId)
  const drawn = keyedHash(config.keys, 'password-form', `${siteId} ${name}`).readUIntBE(0, 6) / 2 ** 48
  const total = forms.find(({ form }) => form === '')?.count ?? 0
  let upTo = 0
  for (const { form, count } of forms) {
    if (form === '') continue
    upTo += count
    if (drawn * total < upTo) return form
  }
  return undefined
}
