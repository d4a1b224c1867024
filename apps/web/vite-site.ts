import { AsyncLocalStorage } from 'node:async_hooks'
import { brandDocument } from '@hufu/contract/document'
import type { SiteMeta } from '@hufu/contract/site'
import type { Plugin } from 'vite'

const noSite: SiteMeta = {
  name: '',
  methods: [],
  regions: [],
  theme: { primary: '#5374fa' },
  languages: ['zh-CN'],
  registration: 'open',
  wechatEnabled: false,
}

async function fetchMeta(api: string, host: string): Promise<SiteMeta> {
  try {
    const headers = { 'Content-Type': 'application/json', Host: host }
    const response = await fetch(`${api}/api/meta`, { method: 'POST', headers, body: '{}' })
    const { data } = (await response.json()) as { data?: SiteMeta }
    return data ?? noSite
  } catch {
    return noSite
  }
}

/** In development the document goes the same way as in production: the site of the asked host is written into it. */
export function siteDocument(api: string): Plugin {
  const askedHost = new AsyncLocalStorage<string>()
  return {
    name: 'hufu-site',
    apply: 'serve',
    configureServer(server) {
      server.middlewares.use((request, _response, next) => askedHost.run(request.headers.host ?? 'localhost', next))
    },
    async transformIndexHtml(html) {
      return brandDocument(html, await fetchMeta(api, askedHost.getStore() ?? 'localhost'))
    },
  }
}
