/** Where `hufu draw` listens: a path, or a host and port. */
export type DecoderAddress = { path: string } | { host: string; port: number }

export function parseDecoderAddress(text: string): DecoderAddress | undefined {
  if (text.startsWith('/')) return { path: text }
  const [, host = '', port = ''] = /^(\[[0-9a-f:.]+\]|[\w.-]+):(\d{1,5})$/i.exec(text) ?? []
  if (!host || Number(port) > 65_535) return undefined
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}
