import { Secret, TOTP } from 'otpauth'
import type { StorySite } from './story-site.ts'

/** Of every authenticator that an account has before its story begins. */
export const storySecret = new Secret({ buffer: new TextEncoder().encode('a secret of 20 bytes').buffer })

/** What an app shows that has scanned this. */
export const appOf = (uri: string) => new TOTP({ secret: new URL(uri).searchParams.get('secret') ?? '' })

const storyApp = new TOTP({ secret: storySecret })

/** The code of this moment. Each counts once: half a minute passes for the authenticators of the site. */
export async function nextCode(site: StorySite, app: TOTP = storyApp): Promise<string> {
  await site.query('UPDATE totp SET last_step = 0 WHERE site_id = $1', [])
  return app.generate()
}
