interface Part {
  headers: Map<string, string>
  body: string
}

/** The few parts of a mail that a reader sees. Bytes come as a latin1 string, so that nothing is lost on the way. */
export function readMail(raw: string): { subject: string; from: string; text: string; messageId: string } {
  const mail = split(raw)
  const header = (name: string) => mail.headers.get(name) ?? ''
  const from = decodeWords(header('from'))
  return {
    subject: decodeWords(header('subject')),
    from: /^"?(.*?)"?\s*<[^>]*>$/.exec(from)?.[1] || from,
    text: textOf(mail)?.trimEnd() ?? '',
    messageId: header('message-id'),
  }
}

function split(raw: string): Part {
  const end = raw.search(/\r?\n\r?\n/)
  const head = end < 0 ? raw : raw.slice(0, end)
  const lines = head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  return { headers, body: end < 0 ? '' : raw.slice(end).replace(/^\r?\n\r?\n/, '') }
}

/** The plain text, looked for in all the parts. */
function textOf(part: Part): string | undefined {
  const type = part.headers.get('content-type') ?? 'text/plain'
  const boundary = /^multipart\/.*boundary="?([^";]+)"?/i.exec(type)?.[1]
  if (boundary) {
    const parts = part.body.split(`--${boundary}`).slice(1, -1)
    return parts.map((inner) => textOf(split(inner.replace(/^\r?\n/, '')))).find((text) => text !== undefined)
  }
  if (!/^text\/plain/i.test(type)) return undefined
  return decodeBody(part).toString('utf8').replaceAll('\r\n', '\n')
}

function decodeBody({ headers, body }: Part): Buffer {
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase()
  if (encoding === 'base64') return Buffer.from(body, 'base64')
  if (encoding === 'quoted-printable') return decodeQuoted(body.replace(/=\r?\n/g, ''))
  return Buffer.from(body, 'latin1')
}

const decodeQuoted = (text: string) =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )

/** `=?UTF-8?B?…?=` and `=?UTF-8?Q?…?=`; blanks between two of them belong to neither. */
function decodeWords(text: string): string {
  const word = /=\?utf-8\?([bq])\?([^?]*)\?=/gi
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(word, (_, kind, coded) =>
      (kind.toLowerCase() === 'b' ? Buffer.from(coded, 'base64') : decodeQuoted(coded.replaceAll('_', ' '))).toString(
        'utf8',
      ),
    )
}
