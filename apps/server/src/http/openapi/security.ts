import type { Access } from '@hufu/contract/endpoint'
import { type MachineScope, machineScopes } from '@hufu/contract/machine-scopes'
import { oidcPaths } from '@hufu/contract/oidc'

type Requirement = Record<string, string[]>

/** Sessions are cookies, so calls of pages also prove where they come from. */
export function securityOf(access: Access, fromHere: boolean, scope?: string): Requirement[] {
  if (access === 'machine') return [{ machine: scope ? [scope] : [] }]
  const session: Requirement = access === 'public' || access === 'client' ? {} : { session: [] }
  const required = { ...session, ...(fromHere && { sameOrigin: [] }) }
  // The secret of a client is in the body.
  return Object.keys(required).length > 0 ? [required] : []
}

const scopeTexts: Record<MachineScope, string> = {
  'users:read': 'Read users; numbers and e-mail addresses are masked.',
  'users:contact': 'Numbers and e-mail addresses in full.',
  'users:write': 'Disable and enable users.',
  'sessions:revoke': 'Sign users out.',
  'feedback:read': 'Read feedback.',
  'feedback:write': 'Reply to feedback and close it.',
  'events:read': 'Read events.',
  'config:read': 'Read the config, without secrets.',
}

export const securitySchemes = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-hufu',
    description: 'The session of a user, set by every call that signs in. Where HTTPS is off, its name is `hufu`.',
  },
  sameOrigin: {
    type: 'apiKey',
    in: 'header',
    name: 'Origin',
    description:
      'The origin of the site, such as `https://account.example.com`. Browsers send it, and `Sec-Fetch-Site: same-origin`, by themselves; where `Sec-Fetch-Site` is sent, it decides. Calls without either are refused with `ORIGIN_REFUSED`, so other callers set `Origin`.',
  },
  clientSecret: {
    type: 'http',
    scheme: 'basic',
    description:
      'Id and secret of a client of OpenID Connect (`client_secret_basic`). `client_secret_post` and `private_key_jwt` are taken as well.',
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'An opaque access token of a user, from the token endpoint.',
  },
  machine: {
    type: 'oauth2',
    description: 'An opaque token of a client of kind `machine`, in the `Authorization` header.',
    flows: {
      clientCredentials: {
        tokenUrl: oidcPaths.token,
        scopes: Object.fromEntries(machineScopes.map((scope) => [scope, scopeTexts[scope]])),
      },
    },
  },
  openId: { type: 'openIdConnect', openIdConnectUrl: oidcPaths.discovery },
} as const
