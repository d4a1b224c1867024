import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { bootScript } from './vite-boot.ts'
import { compressedCopies } from './vite-compress.ts'
import { chunkModules } from './vite-modules.ts'
import { siteDocument } from './vite-site.ts'

interface ModuleGraph {
  getModuleInfo(id: string): { isEntry: boolean; importers: readonly string[] } | null
}

/** Whether a module is there before any page is: the entry loads it by itself or through others. */
function comesFirst(id: string, graph: ModuleGraph, seen = new Set<string>()): boolean {
  if (seen.has(id)) return false
  seen.add(id)
  const found = graph.getModuleInfo(id)
  return Boolean(found && (found.isEntry || found.importers.some((from) => comesFirst(from, graph, seen))))
}

/** Every icon seems to come first, because the set's own list names them all. */
const isIcon = (id: string) => /lucide-react\/dist\/esm\/icons\//.test(id)

// What every visit loads is one file: pages that share parts of it would split it into many small ones.
const name = (id: string, graph: ModuleGraph) => (!isIcon(id) && comesFirst(id, graph) ? 'base' : null)
/** Small parts of every form, which would each be a file of their own. */
const ofForms =
  /src\/(ui\/fields\/((field|checkbox|password-field)\.tsx|password-field\.text(\.zh-CN)?\.ts)|lib\/(call\/failure|use-above-keyboard)\.ts)$|icons\/(check|chevron-down|eye|eye-off|key-round|smartphone)\.mjs$/
/** What every page that asks for a code or a factor shares, for the same reason. */
const ofProofs =
  /src\/(features\/sign-in\/login\/(lead\.tsx|login\.(text(\.zh-CN)?|api)\.ts)|identity\/(identity\.text(\.zh-CN)?|factor\/passkey-support|verify-code\/[\w-]+)\.tsx?|ui\/fields\/code-(field|text)\.tsx?|lib\/call\/with-proof-of-work\.ts)$/
/** How times are written. */
const ofTime = /src\/lib\/time\/(when|how-long|use-now)[\w.-]*\.ts$/
const groups = [
  { name, debugName: 'base' },
  { name: 'forms', test: ofForms },
  { name: 'proofs', test: ofProofs },
  { name: 'time', test: ofTime },
]

// Older WeChat browsers are the floor.
const target = ['chrome107', 'safari15.4']
const api = process.env.HUFU_API ?? 'http://localhost:3000'

export default defineConfig({
  plugins: [react(), bootScript(target), siteDocument(api), compressedCopies(), chunkModules()],
  server: {
    allowedHosts: true,
    // The host stays as the browser sent it: it names the site.
    proxy: Object.fromEntries(
      ['/api', '/oidc', '/.well-known'].map((path) => [path, { target: api, changeOrigin: false }]),
    ),
  },
  build: {
    target,
    cssTarget: target,
    manifest: true,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
})
