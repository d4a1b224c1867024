/** The features, in the order of the document: name, description, and the paths that belong to each. */
const features: [name: string, description: string, paths: string[]][] = [
  ['site', 'What a site shows to everybody.', ['/api/meta', '/api/page/', '/api/site/', '/api/openapi.json']],
  ['verify-code', 'Codes by SMS and mail.', ['/api/verifyCode/']],
  ['login', 'Signing in and out.', ['/api/login/', '/api/logout']],
  ['scan-login', 'Signing in on a computer by scanning its QR code.', ['/api/login/request/']],
  ['wechat', 'WeChat: navigations of the browser.', ['/api/login/wechat', '/api/wechat/', '/api/user/wechat/']],
  [
    'oidc',
    'The OpenID Connect provider, for sites that use OpenID Connect, and its pages.',
    ['/oidc/', '/.well-known/', '/api/oidc/', '/api/user/authorization/'],
  ],
  ['authorize', 'The legacy ticket flow for other sites.', ['/api/login/authorize/', '/api/authorize/']],
  ['recovery', 'Setting a new mobile number or removing lost factors.', ['/api/recovery/', '/api/user/recovery/']],
  ['undo', 'Undoing account changes of the last 72 hours.', ['/api/undo/']],
  ['profile', "The user's own data.", ['/api/user/info', '/api/user/preference', '/api/avatar']],
  ['account', 'Credentials and contacts.', ['/api/user/account/']],
  ['two-factor', 'The step-up before guarded changes.', ['/api/user/twoFactor/']],
  [
    'factors',
    'Passkeys, authenticator apps and recovery codes.',
    ['/api/user/factor/', '/api/login/factor', '/api/login/passkey'],
  ],
  ['devices', 'The sessions of the own account.', ['/api/user/token/']],
  ['security', 'The security log, and sign-ins that were not the own.', ['/api/user/security/', '/api/login/notice/']],
  [
    'personal-data',
    'Export, closing and agreements.',
    ['/api/user/data/', '/api/user/agreements/', '/api/user/account/close', '/api/user/account/keep'],
  ],
  ['feedback', 'Conversations with the merchant.', ['/api/user/feedback/', '/api/feedback/', '/api/events']],
  ['merchant-feedback', 'Conversations, as operators see them.', ['/api/merchant/feedback/', '/api/merchant/replies/']],
  ['merchant-users', 'Users, as operators see them.', ['/api/merchant/user/']],
  [
    'merchant-statistics',
    'Figures.',
    ['/api/merchant/home', '/api/merchant/user/statistics', '/api/merchant/user/curve'],
  ],
  ['merchant-wechat', 'The official account of the site.', ['/api/merchant/wechat/']],
  ['merchant-config', 'The config of the site.', ['/api/merchant/config/']],
  ['merchant-log', 'What operators did.', ['/api/merchant/log/']],
  ['management', 'The management API, for machines.', ['/api/manage/']],
]

/** The feature with the longest path that the route begins with. */
export function tagOf(route: string): string {
  const found = features
    .flatMap(([name, , paths]) => paths.map((path) => ({ name, path })))
    .filter(({ path }) => route.startsWith(path))
    .sort((a, b) => b.path.length - a.path.length)[0]
  if (!found) throw new Error(`${route} belongs to no feature that openapi/tags.ts lists`)
  return found.name
}

/** Those in use. */
export const tagsOf = (used: Set<string>): { name: string; description: string }[] =>
  features.filter(([name]) => used.has(name)).map(([name, description]) => ({ name, description }))
