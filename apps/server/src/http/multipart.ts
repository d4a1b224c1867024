import { MIMEType } from 'node:util'

const mostParts = 8
const mostHead = 4096

export function boundaryOf(type: string): string | undefined {
  try {
    const boundary = new MIMEType(type).params.get('boundary') ?? ''
    return /^[\w'()+,./:=? -]{1,70}$/.test(boundary) ? boundary : undefined
  } catch {
    return undefined
  }
}

/** Parsed one after the other: text inside a quoted name is no parameter. */
const parameters = /; *([\w*]+)=(?:"([^"]*)"|([^";]*))/gy

function isFile(head: string): boolean {
  const [, disposition = ''] = /^content-disposition: *form-data(;.*)$/im.exec(head) ?? []
  const found = Array.from(disposition.matchAll(parameters), ([, key = '', quoted, plain]) => [
    key.toLowerCase(),
    quoted ?? plain?.trim(),
  ])
  return new Map(found as [string, string][]).get('name') === 'file' && found.some(([key]) => key === 'filename')
}

/**
 * The one file named `file` of a form, as a view of the body; undefined where there is none, a second one, or the form
 * is broken. Node's own parser copies every file three times, and a form of many thousand parts keeps it busy for long.
 */
export function fileIn(body: Buffer, boundary: string): Buffer | undefined {
  const mark = Buffer.from(`\r\n--${boundary}`)
  const files: Buffer[] = []
  // The first boundary has no line before it.
  let at = body.subarray(0, mark.length - 2).equals(mark.subarray(2)) ? mark.length - 2 : -1
  for (let parts = 0; at >= 0 && parts <= mostParts; parts++) {
    const after = body.toString('latin1', at, at + 2)
    if (after === '--') return files.length === 1 ? files[0] : undefined
    const content = body.indexOf('\r\n\r\n', at) + 4
    const end = body.indexOf(mark, content - 2)
    if (after !== '\r\n' || content < 4 || content - at > mostHead || end < 0) return undefined
    if (isFile(body.toString('latin1', at + 2, content - 4))) files.push(body.subarray(content, Math.max(content, end)))
    at = end + mark.length
  }
  return undefined
}
