import { posix } from 'node:path'

export interface Import {
  specifier: string
  /** Gone at run time. `import { type A }` is not: verbatimModuleSyntax keeps the empty import. */
  typeOnly: boolean
  reExport: boolean
}

const statement =
  /(?:^|[;}])[ \t]*(import|export)\b\s*(type\b(?!\s+from)\s*)?[\w$*\s{},]*?\bfrom\s*['"]([^'"\n]+)['"]/gm
const sideEffect = /(?:^|[;}])[ \t]*import\s*['"]([^'"\n]+)['"]/gm
const dynamic = /\bimport\(\s*['"`]([^'"`\n]+)['"`]/g

export const withoutComments = (source: string) =>
  source.replace(/^\s*\/\*[\s\S]*?\*\//gm, '').replace(/(^|\s)\/\/.*$/gm, '$1')

export function importsOf(source: string): Import[] {
  const code = withoutComments(source)
  const named = [...code.matchAll(statement)].map(([, word, type, specifier = '']) => ({
    specifier,
    typeOnly: type !== undefined,
    reExport: word === 'export',
  }))
  const plain = [...code.matchAll(sideEffect), ...code.matchAll(dynamic)].map(([, specifier = '']) => ({
    specifier,
    typeOnly: false,
    reExport: false,
  }))
  return [...named, ...plain]
}

const workspaces: [RegExp, string][] = [
  [/^@hufu\/contract(?=\/|$)/, 'packages/contract/src'],
  [/^@hufu\/server(?=\/|$)/, 'apps/server/src'],
  [/^@hufu\/web(?=\/|$)/, 'apps/web/src'],
]

/** The path in this repository that a specifier means, or undefined for a package from outside. */
export function resolve(from: string, specifier: string, files: Map<string, string>): string | undefined {
  const workspace = workspaces.find(([name]) => name.test(specifier))
  if (!workspace && !specifier.startsWith('.')) return undefined
  const path = workspace
    ? specifier.replace(...workspace)
    : posix.join(posix.dirname(from), specifier.replace(/\?.*$/, ''))
  return ['', '.ts', '.tsx', '/index.ts', '/index.tsx'].map((end) => path + end).find((p) => files.has(p)) ?? path
}
