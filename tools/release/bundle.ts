import { dirname, join } from 'node:path'
import { rolldown } from 'rolldown'

/** Native code or data files: these stay packages of their own. */
export const packaged = ['sharp', '@node-rs/argon2', 'ip2region']

/** An optional part of pg that we don't use. */
const never = ['pg-native']

/**
 * The server as few files of JavaScript, readable and with everything it imports: it starts faster than hundreds of modules,
 * and nothing that isn't reached is delivered. Without source maps: node would hold them in memory, 100 MB of it. Answers the
 * files that went in.
 */
export async function bundleServer(source: string, folder: string): Promise<string[]> {
  const bundle = await rolldown({
    input: { cli: join(source, 'cli.ts'), 'picture-process': join(source, 'core/picture-process.ts') },
    platform: 'node',
    external: [...packaged, ...never],
    cwd: dirname(source),
  })
  const { output } = await bundle.write({ dir: folder, format: 'esm' })
  await bundle.close()
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
}
