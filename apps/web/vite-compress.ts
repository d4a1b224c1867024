import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)
/** Not the document: the server writes the site into it. */
const text = /\.(js|css|svg|ico|txt)$/

/** Leaves name.br and name.gz beside every text file of the build, so that the server compresses nothing at run time. */
export function compressedCopies(): Plugin {
  let folder = ''
  return {
    name: 'hufu-compress',
    apply: 'build',
    configResolved(config) {
      folder = config.build.outDir
    },
    async closeBundle() {
      const names = await readdir(folder, { recursive: true })
      for (const name of names.filter((each) => text.test(each))) {
        const path = join(folder, name)
        const content = await readFile(path)
        await writeFile(`${path}.br`, await brotli(content))
        await writeFile(`${path}.gz`, await zip(content, { level: 9 }))
      }
    },
  }
}
