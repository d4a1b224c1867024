import { readFileSync } from 'node:fs'
import { decodeJwt } from 'jose'
import { endedSessions } from './backchannel-logout.js'

// The settings of Auth.js. The same object serves Next.js, SvelteKit and its other frameworks.

/** As `hufu client add` printed it. */
export const client = JSON.parse(readFileSync('client.json', 'utf8'))

const hufu = {
  id: 'hufu',
  name: 'Hufu',
  type: 'oidc',
  issuer: client.issuer,
  clientId: client.client_id,
  clientSecret: client.client_secret,
  authorization: { params: { scope: process.env.SCOPE ?? 'openid profile' } },
  checks: ['pkce', 'state', 'nonce'],
  // Nickname, number and address come from userinfo, not in the ID token.
  idToken: false,
  profile: ({ sub, name, email, picture }) => ({ id: sub, name, email, image: picture }),
}

export const authConfig = {
  providers: [hufu],
  secret: process.env.AUTH_SECRET,
  basePath: '/auth',
  // Return addresses come from the Host header; the account centre refuses those that aren't registered.
  trustHost: true,
  callbacks: {
    /** What the encrypted session cookie keeps. `account` and `profile` are there at the sign-in alone. */
    jwt({ token, account, profile }) {
      if (account) return { claims: profile, idToken: account.id_token, sid: decodeJwt(account.id_token).sid }
      return endedSessions.has(token.sid) ? null : token
    },
    /** What pages see of it. */
    session: ({ session, token }) => ({ ...session, claims: token.claims }),
  },
}
