import { execFileSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeTemporaryFolder } from '../run/temporary-folder.ts'
import { buildArtefact } from './build.ts'

export interface Unpacked {
  /** Where `bin/hufu` is. */
  home: string
  remove(): void
}

/** Builds the release and unpacks its archive, which is all that is left then, where nothing else is. */
export async function unpackArtefact(): Promise<Unpacked> {
  const built = makeTemporaryFolder('built')
  const folder = makeTemporaryFolder('release')
  const { archive } = await buildArtefact(join(built, 'release'))
  execFileSync('tar', ['-xzf', archive, '-C', folder])
  rmSync(built, { recursive: true })
  const [name = '', ...others] = readdirSync(folder)
  if (others.length > 0) throw new Error(`the archive holds more than one folder: ${others}`)
  return { home: join(folder, name), remove: () => rmSync(folder, { recursive: true, force: true }) }
}
