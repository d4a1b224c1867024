import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runToEnd } from '../run/run-to-end.ts'

const root = join(import.meta.dirname, '../..')

/** The programs of a Python package of this very version, in an environment of their own; answers their folder. */
export async function installPython(name: string, version: string): Promise<string> {
  const folder = join(root, 'node_modules/.cache', `${name}-${version}`)
  const bin = join(folder, 'bin')
  if (existsSync(join(bin, name))) return bin
  const done = async (program: string, args: string[]) => {
    if ((await runToEnd(program, args)) !== 0) throw new Error(`${program} ${args.join(' ')} failed`)
  }
  await done('python3', ['-m', 'venv', folder])
  await done(join(bin, 'pip'), ['install', '--quiet', '--disable-pip-version-check', `${name}==${version}`])
  return bin
}
