import { execFileSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { artefact } from '../run/build.ts'
import { makeTemporaryFolder } from '../run/temporary-folder.ts'
import { buildArtefact } from './build.ts'

export interface Unpacked {
  /** Where `bin/hufu` is. */
  home: string
  remove(): void
}

/** Unpacks the archive of a release where nothing else is. */
export function unpackArchive(archive: string): Unpacked {
  const folder = makeTemporaryFolder('release')
  execFileSync('tar', ['-xzf', archive, '-C', folder])
  const [name = '', ...others] = readdirSync(folder)
  if (others.length > 0) throw new Error(`the archive holds more than one folder: ${others}`)
  return { home: join(folder, name), remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Builds the release and unpacks its archive, or takes the one that HUFU_ARTEFACT names, which stays where it is. */
export async function unpackArtefact(): Promise<Unpacked> {
  if (artefact) return { home: artefact, remove() {} }
  const built = makeTemporaryFolder('built')
  try {
    const { archive } = await buildArtefact(join(built, 'release'))
    return unpackArchive(archive)
  } finally {
    rmSync(built, { recursive: true })
  }
}
