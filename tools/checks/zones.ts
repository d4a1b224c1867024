/** The zone of a module; within features also which feature. */
export interface Zone {
  kind: string
  feature: string | undefined
}

const zones: [RegExp, string][] = [
  [/^packages\/contract\/src\//, 'contract'],
  [/^packages\/client\/src\//, 'client'],
  [/^apps\/web\/src\/app\//, 'web app'],
  [/^apps\/web\/src\/test\//, 'web test'],
  [/^apps\/web\/src\/features\/([\w-]+)\//, 'web feature'],
  [/^apps\/web\/src\/lib\//, 'web lib'],
  [/^apps\/web\/src\/ui\//, 'web ui'],
  [/^apps\/web\/src\/site\//, 'web site'],
  [/^apps\/web\/src\/session\//, 'web session'],
  [/^apps\/web\/src\/frame\//, 'web frame'],
  [/^apps\/web\/src\/identity\//, 'web identity'],
  [/^apps\/server\/src\/(?:app|main|worker|decoder|version)\.ts$/, 'root'],
  [/^apps\/server\/src\/cli\//, 'cli'],
  [/^apps\/server\/package\.json$/, 'manifest'],
  [/^apps\/server\/src\/platform\//, 'platform'],
  [/^apps\/server\/src\/shared\//, 'shared'],
  [/^apps\/server\/src\/http\//, 'http'],
  [/^apps\/server\/src\/integrations\//, 'integrations'],
  [/^apps\/server\/src\/features\/([\w-]+)\/[\w-]+\.routes\.ts$/, 'routes'],
  [/^apps\/server\/src\/features\/([\w-]+)\/[\w-]+\.service\.ts$/, 'service'],
  [/^apps\/server\/src\/features\/([\w-]+)\/[\w-]+\.store\.ts$/, 'store'],
  [/^apps\/server\/src\/features\/([\w-]+)\//, 'part'],
]

const sharedFeatures = ['users', 'verify-code', 'factors']

const libraries = ['npm', 'zod']
const layers = ['platform', 'shared', 'http', 'integrations', 'routes', 'service', 'store', 'part']
const own = ['own service', 'own store', 'own part']
/** The web's zones in their order: each may import itself and those before it. */
const webZones = ['web lib', 'web ui', 'web site', 'web session', 'web frame', 'web identity']
const webUpTo = (zone: string) => [...webZones.slice(0, webZones.indexOf(zone) + 1), 'contract', 'npm']
const sharedFeature = ['shared service', 'shared store', 'shared part']

/** Everything a module may import, by its zone. A part is any other file of a feature. */
const mayImport: Record<string, string[]> = {
  contract: ['contract', 'zod'],
  // Others install it: it brings nothing of the product along.
  client: ['client', 'npm'],
  ...Object.fromEntries(webZones.map((zone) => [zone, webUpTo(zone)])),
  'web feature': [...webUpTo('web identity'), 'own web feature'],
  'web app': [...webUpTo('web identity'), 'web feature', 'web app'],
  'web test': [...webUpTo('web identity'), 'web feature', 'web app', 'web test'],
  cli: ['cli', 'root', 'manifest', ...layers, 'contract', ...libraries],
  root: ['root', 'manifest', ...layers, 'contract', 'fastify', ...libraries],
  platform: ['platform', 'contract', ...libraries],
  shared: ['shared', 'platform', 'integrations', 'contract', ...libraries],
  http: ['http', 'shared', 'platform', 'contract', 'fastify', ...libraries],
  integrations: ['integrations', 'platform', 'contract', ...libraries],
  routes: ['own service', 'own part', 'http', 'shared', 'platform', 'contract', 'fastify', ...libraries],
  service: [...own, ...sharedFeature, 'shared', 'platform', 'integrations', 'contract', ...libraries],
  part: [...own, ...sharedFeature, 'shared', 'platform', 'integrations', 'contract', ...libraries],
  store: ['shared', 'platform', 'contract', ...libraries],
}

/** Two modules by their paths under apps/web/src/features: the first may import the second, though it is another feature's. */
export type FeatureImport = readonly [from: string, to: string]

/** Every import from one web feature to another. The list may only shrink. */
export const featureImports: FeatureImport[] = [
  ['merchant-config/preview/use-config-preview.ts', 'devices/devices.api.ts'],
  ['merchant-home/merchant-home.api.ts', 'feedback/feedback.api.ts'],
  ['merchant-log/operator-action.tsx', 'feedback/feedback.text.ts'],
  ['merchant-users/user-feedback.tsx', 'feedback/conversation/status-badge.tsx'],
  ['merchant-users/user-feedback.tsx', 'feedback/conversation/talk.ts'],
  ['privacy/account-banners.tsx', 'recovery/recovery-banner.tsx'],
  ['profile/account-card.tsx', 'devices/devices.api.ts'],
  ['profile/user-page.tsx', 'privacy/account-banners.tsx'],
  ['security/protect-page.tsx', 'devices/devices.api.ts'],
  ['security/protect-page.tsx', 'devices/removal-dialog.tsx'],
  ['security/protect-page.tsx', 'privacy/account-banners.tsx'],
  ['undo/undo-page.tsx', 'recovery/outcome.tsx'],
  ['undo/undo-steps.tsx', 'recovery/support.tsx'],
]

export function zoneOf(path: string): Zone | undefined {
  for (const [pattern, kind] of zones) {
    const match = pattern.exec(path)
    if (match) return { kind, feature: match[1] }
  }
  return undefined
}

function packageKind(specifier: string): string {
  if (/^zod(\/|$)/.test(specifier)) return 'zod'
  return /^(@fastify\/|fastify(\/|-|$))/.test(specifier) ? 'fastify' : 'npm'
}

/** The name of a target in the table above, as seen from the importing module. */
function nameOf(target: Zone, from: Zone): string {
  if (!target.feature || ['root', 'cli', 'web app', 'web test'].includes(from.kind)) return target.kind
  if (target.feature === from.feature) return `own ${target.kind}`
  return sharedFeatures.includes(target.feature) ? `shared ${target.kind}` : `another feature's ${target.kind}`
}

/** The rule that an import breaks, or undefined. */
export function refusal(from: Zone, specifier: string, target: string | undefined): string | undefined {
  const zone = target === undefined ? undefined : zoneOf(target)
  const outside = target?.startsWith('apps/server/') ? 'server' : 'files outside the sources'
  const name = zone ? nameOf(zone, from) : target === undefined ? packageKind(specifier) : outside
  if (mayImport[from.kind]?.includes(name)) return undefined
  return `${from.kind} may not import ${name}`
}
