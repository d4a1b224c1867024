import { existsSync } from 'node:fs'
import http from 'node:http'
import { dirname, join } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'

/** Native code or data files: these stay packages of their own. */
export const packaged = ['sharp', '@node-rs/argon2', '@node-rs/bcrypt', 'ip2region']

/** An optional part of pg that we don't use. */
const never = ['pg-native']

/** What has a value of its own; the others are created on first access, from a browser's fetch and its parts. */
const ofHttp = Object.entries(Object.getOwnPropertyDescriptors(http))
  .filter(([, property]) => 'value' in property)
  .map(([name]) => `export const ${name} = http.${name}`)

/** An import of node:http looks at everything in it, which takes a tenth of the whole start; asking for it does not. */
const plainHttp: Plugin = {
  name: 'plain-http',
  resolveId: (id, _importer, { kind }) =>
    kind === 'import-statement' && /^(node:)?http$/.test(id) ? '\0plain-http' : undefined,
  load: (id) =>
    id === '\0plain-http'
      ? ["const http = process.getBuiltinModule('node:http')", 'export default http', ...ofHttp].join('\n')
      : undefined,
}

/** Each entry and where it is: in this version, or in 0.1.0, from which is upgraded. */
const entries: [name: string, file: string][] = [
  ['cli', 'cli/cli.ts'],
  ['decoder-process', 'platform/images/decoder-process.ts'],
  ['cli', 'cli.ts'],
  ['picture-process', 'core/picture-process.ts'],
]

const entriesIn = (source: string): Record<string, string> =>
  Object.fromEntries(
    entries.flatMap(([name, file]) => (existsSync(join(source, file)) ? [[name, join(source, file)]] : [])),
  )

/**
 * The server as few files of JavaScript, readable and with everything it imports: it starts faster than hundreds of modules,
 * and nothing that isn't reached is delivered. Without source maps: node would hold them in memory, 100 MB of it. Answers the
 * files that went in.
 */
export async function bundleServer(source: string, folder: string): Promise<string[]> {
  const bundle = await rolldown({
    input: entriesIn(source),
    platform: 'node',
    external: [...packaged, ...never],
    plugins: [plainHttp],
    cwd: dirname(source),
  })
  const { output } = await bundle.write({ dir: folder, format: 'esm' })
  await bundle.close()
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
}
