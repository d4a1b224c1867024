/** Where a module stands; in the server's features also in which. */
export interface Place {
  kind: string
  feature: string | undefined
}

const places: [RegExp, string][] = [
  [/^packages\/contract\/src\//, 'contract'],
  [/^apps\/web\/src\//, 'web'],
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

const sharedFeatures = ['users', 'verify-code']

const libraries = ['npm', 'zod']
const layers = ['platform', 'shared', 'http', 'integrations', 'routes', 'service', 'store', 'part']
const own = ['own service', 'own store', 'own part']
const sharedFeature = ['shared service', 'shared store', 'shared part']

/** Everything a module may import, by where it stands. A part is any other file of a feature. */
const mayImport: Record<string, string[]> = {
  contract: ['contract', 'zod'],
  web: ['web', 'contract', 'npm'],
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

export function placeOf(path: string): Place | undefined {
  for (const [pattern, kind] of places) {
    const match = pattern.exec(path)
    if (match) return { kind, feature: match[1] }
  }
  return undefined
}

function packageKind(specifier: string): string {
  if (/^zod(\/|$)/.test(specifier)) return 'zod'
  return /^(@fastify\/|fastify(\/|-|$))/.test(specifier) ? 'fastify' : 'npm'
}

/** How the table above calls a target, seen from where it is imported. */
function nameOf(target: Place, from: Place): string {
  if (!target.feature || from.kind === 'root' || from.kind === 'cli') return target.kind
  if (target.feature === from.feature) return `own ${target.kind}`
  return sharedFeatures.includes(target.feature) ? `shared ${target.kind}` : `another feature's ${target.kind}`
}

/** The rule that an import breaks, or undefined. */
export function refusal(from: Place, specifier: string, target: string | undefined): string | undefined {
  const place = target === undefined ? undefined : placeOf(target)
  const outside = target?.startsWith('apps/server/') ? 'server' : 'files outside the sources'
  const name = place ? nameOf(place, from) : target === undefined ? packageKind(specifier) : outside
  if (mayImport[from.kind]?.includes(name)) return undefined
  return `${from.kind} may not import ${name}`
}
