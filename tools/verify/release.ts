import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildArtefact } from '../release/build.ts'
import { type Unpacked, unpackArchive } from '../release/unpack.ts'

interface Release {
  archive: string
  home: string
}

/** The release of this tree, built at its first use and never again. */
export function buildOnce(): { get(): Promise<Release>; remove(): void } {
  let folder: string | undefined
  let unpacked: Unpacked | undefined
  let built: Promise<Release> | undefined
  async function build(): Promise<Release> {
    console.log('building the release')
    folder = mkdtempSync(join(tmpdir(), 'hufu-verify-'))
    const { archive } = await buildArtefact(join(folder, 'release'))
    unpacked = unpackArchive(archive)
    return { archive, home: unpacked.home }
  }
  return {
    get() {
      built ??= build()
      return built
    },
    remove() {
      unpacked?.remove()
      if (folder) rmSync(folder, { recursive: true, force: true })
    },
  }
}
