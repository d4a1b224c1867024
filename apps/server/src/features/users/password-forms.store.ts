import { sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

export interface PasswordForm {
  /** Empty for all passwords, our own included. */
  form: string
  count: number
}

/** None on a site without imported hashes. */
export async function readPasswordForms(db: Db, siteId: SiteId): Promise<PasswordForm[]> {
  const { rows } = await sql<PasswordForm>`SELECT form, count::float8 AS count FROM password_form
    WHERE site_id = ${siteId} ORDER BY form`.execute(db)
  return rows
}

/** All passwords of a site, counted before the first imported ones are added. */
export async function beginPasswordForms(db: Db, siteId: SiteId): Promise<void> {
  const { rows } = await sql`SELECT FROM password_form WHERE site_id = ${siteId} AND form = ''`.execute(db)
  if (rows.length > 0) return
  await sql`INSERT INTO password_form (site_id, form, count)
    SELECT ${siteId}, '', count(*) FROM credential WHERE site_id = ${siteId} AND kind = 'password'
    ON CONFLICT DO NOTHING`.execute(db)
}

/** In the transaction that adds the passwords. */
export async function addPasswordForms(db: Db, siteId: SiteId, added: PasswordForm[]): Promise<void> {
  await sql`INSERT INTO password_form (site_id, form, count)
    SELECT ${siteId}, form, count FROM unnest(${added.map(({ form }) => form)}::text[],
      ${added.map(({ count }) => count)}::bigint[]) AS t (form, count) ORDER BY form
    ON CONFLICT (site_id, form) DO UPDATE SET count = password_form.count + excluded.count`.execute(db)
}
