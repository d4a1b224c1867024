import type { SiteMeta } from './site.ts'

/** The site's data inside the served document, so that its first paint shows the brand. */
export interface DocumentBrand {
  name: string
  primary: string
  logo: string | undefined
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? character)

/** Writes the site into the one HTML file of the product: marked attributes and texts only, always escaped. */
export function brandDocument(html: string, meta: SiteMeta): string {
  const { name, primary, logo }: DocumentBrand = { name: meta.name, primary: meta.theme.primary, logo: meta.logoIcon }
  const attributes = [`data-name="${escapeHtml(name)}"`, `data-primary="${escapeHtml(primary)}"`]
  if (logo) attributes.push(`data-logo="${escapeHtml(logo)}"`)
  const words: Record<string, string> = { name: escapeHtml(name), icon: escapeHtml(logo ?? '/favicon.svg') }
  // In one pass: a site's texts are never parsed as placeholders.
  return html.replace(/<html |\{\{(name|icon)\}\}/g, (_mark, word?: string) =>
    word === undefined ? `<html ${attributes.join(' ')} ` : (words[word] ?? ''),
  )
}
