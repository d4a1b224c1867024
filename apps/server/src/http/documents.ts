import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { brandDocument } from '@hufu/contract/document'
import { pages } from '@hufu/contract/pages'
import type { SiteMeta } from '@hufu/contract/site'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../platform/app-error.ts'
import type { Deps } from '../shared/deps.ts'
import { perSite, type Site } from '../shared/sites/sites.ts'
import type { App } from './app.ts'
import { documentHeaders } from './headers.ts'
import { readStaticFiles, sendEncoded, sendStaticFile } from './static-files.ts'

interface Document {
  headers: Record<string, string>
  /** Where it is the preview inside the configuration. */
  previewHeaders: Record<string, string>
  bodies: Map<string, Buffer>
}

const patterns = Object.values(pages).map((page) => new RegExp(`^${page.replace(/:\w+/g, '[^/]+')}/?$`))
/** As the contract names the verification files of a site. */
const rootFile = /^\/([A-Za-z0-9][\w-]*\.txt)$/

const isPage = (path: string) => patterns.some((pattern) => pattern.test(path))

/**
 * Everything a browser asks for that isn't a call: the built files, a site's verification files, and the one HTML
 * document, which carries the site's brand.
 */
export function serveDocuments(app: App, deps: Pick<Deps, 'config' | 'usage'>, metaOf: (site: Site) => SiteMeta): void {
  const folder = deps.config.webFolder
  const files = folder ? readStaticFiles(folder) : new Map()
  const template = folder && readFileSync(join(folder, 'index.html'), 'utf8')
  const documentOf = perSite((site) => brandedDocument(site, brandDocument(template ?? '', metaOf(site))))

  function answer(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const path = request.url.replace(/[?#].*$/s, '')
    if (path.startsWith('/api/')) throw new AppError(isCall(path) ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND')
    if (request.method !== 'GET' && request.method !== 'HEAD') throw new AppError('METHOD_NOT_ALLOWED')
    const file = files.get(path)
    if (file) return sendStaticFile(request, reply, file)
    const name = rootFile.exec(path)?.[1]
    const ofSite = request.site.config.files ?? {}
    const text = name !== undefined && Object.hasOwn(ofSite, name) ? ofSite[name] : undefined
    if (text !== undefined) return reply.type('text/plain; charset=utf-8').send(text)
    if (!template) throw new AppError('NOT_FOUND')
    const found = isPage(path)
    const preview = path === pages.preview
    if (found && !preview && request.method === 'GET') deps.usage.countPage(request.site.id)
    const document = documentOf(request.site)
    const headers = preview ? document.previewHeaders : document.headers
    reply.headers(headers).header('vary', 'accept-encoding').type('text/html; charset=utf-8')
    return sendEncoded(request, reply.code(found ? 200 : 404), document.bodies)
  }
  const isCall = (path: string) => (['POST', 'GET'] as const).some((method) => app.findRoute({ method, url: path }))
  app.setNotFoundHandler(answer)
}

function brandedDocument(site: Site, html: string): Document {
  const plain = Buffer.from(html)
  return {
    headers: documentHeaders(site),
    previewHeaders: documentHeaders(site, true),
    bodies: new Map([
      ['', plain],
      ['br', brotliCompressSync(plain)],
      ['gzip', gzipSync(plain)],
    ]),
  }
}
