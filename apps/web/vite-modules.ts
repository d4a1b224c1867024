import { relative } from 'node:path'
import type { Plugin } from 'vite'

/** Writes beside the manifest which modules each script is made of, so that it can be checked who gets what. */
export function chunkModules(): Plugin {
  let root = ''
  return {
    name: 'hufu-modules',
    apply: 'build',
    configResolved(config) {
      root = config.root
    },
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((part) => part.type === 'chunk')
      const modules = chunks.map(({ fileName, moduleIds }) => [fileName, moduleIds.map((id) => relative(root, id))])
      const source = JSON.stringify(Object.fromEntries(modules), null, 2)
      this.emitFile({ type: 'asset', fileName: '.vite/modules.json', source })
    },
  }
}
