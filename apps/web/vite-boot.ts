import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'vite'

const entry = fileURLToPath(new URL('src/app/boot.ts', import.meta.url))
const mark = '<!-- boot -->'
const devPath = '/boot.js'

/** One classic script without imports: only such a script blocks the first paint. */
async function bundleBoot(target: string[]): Promise<string> {
  const result = await build({
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    build: { write: false, target, rolldownOptions: { input: entry, output: { format: 'iife' } } },
  })
  const output = [result].flat().flatMap((part) => ('output' in part ? part.output : []))
  const chunk = output.find((part) => part.type === 'chunk')
  if (!chunk) throw new Error('src/app/boot.ts gave no script')
  return chunk.code
}

/** Puts src/app/boot.ts where index.html says so: a hashed asset in a build, bundled anew for every document in development. */
export function bootScript(target: string[]): Plugin {
  let address = devPath
  return {
    name: 'hufu-boot',
    configureServer(server) {
      server.middlewares.use(devPath, (_request, response, next) => {
        response.setHeader('Content-Type', 'text/javascript')
        bundleBoot(target).then((code) => response.end(code), next)
      })
    },
    async buildStart() {
      if (this.environment.config.command !== 'build') return
      const source = await bundleBoot(target)
      const hash = createHash('sha256').update(source).digest('base64url').slice(0, 8)
      address = `/assets/boot-${hash}.js`
      this.emitFile({ type: 'asset', fileName: address.slice(1), source })
    },
    transformIndexHtml: {
      order: 'pre',
      handler: (html) => html.replace(mark, `<script vite-ignore src="${address}"></script>`),
    },
  }
}
