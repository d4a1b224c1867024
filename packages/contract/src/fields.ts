import { z } from 'zod'

/** URL parsers drop or rewrite these silently, so that a browser would open something other than what was checked. */
const hidden = (text: string) =>
  text.includes('\\') || [...text].some((character) => character <= ' ' || character === '\x7f')

function webAddress(text: string, protocols: string[]): URL | undefined {
  // Without the slashes a page of the same scheme resolves the rest as its own path.
  if (hidden(text) || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return protocols.includes(url.protocol) && !url.username && !url.password ? url : undefined
}

/** An http(s) address that a user may be sent to: no other scheme, no userinfo, no control characters. */
export const webUrl = z
  .string()
  .max(2048, { abort: true })
  .refine((text) => webAddress(text, ['https:', 'http:']) !== undefined, '须为以 http:// 或 https:// 开头的网址')

/** A contact address: a URL as above, or a number to call. */
export const webUrlOrPhone = z
  .string()
  .max(2048, { abort: true })
  .refine(
    (text) => webAddress(text, ['https:', 'http:']) !== undefined || /^(?=.{3,40}$)\+?\d[\d -]*$/.test(text),
    '须为以 http:// 或 https:// 开头的网址，或 40 个字符以内的电话号码',
  )

/** A picture: a path of this site or an https address. */
export const imageUrl = z
  .string()
  .max(2048, { abort: true })
  .refine(
    (text) => (/^\/(?!\/)/.test(text) && !hidden(text)) || webAddress(text, ['https:']) !== undefined,
    '须为以 / 开头的站内路径或以 https:// 开头的网址',
  )

const ownMachine = /^(localhost|127\.0\.0\.1|\[::1\])$/

/** A scheme of an app's own, a domain name in reverse (RFC 8252): none that a browser runs or reads itself has a dot. */
const privateScheme = /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:\//

/** An address that an installed app has claimed for itself, such as `com.example.app:/callback`. */
export const isAppAddress = (text: string): boolean => {
  if (hidden(text) || !privateScheme.test(text) || !URL.canParse(text)) return false
  const { href, username, password } = new URL(text)
  return href === text && !username && !password
}

/** A whole return address, exactly as a browser writes it: https, localhost, or the scheme of an app. */
export const returnAddress = z
  .string()
  .max(2048, { abort: true })
  .refine((text) => {
    if (text.includes('#')) return false
    const url = webAddress(text, ['https:', 'http:'])
    if (!url) return isAppAddress(text)
    return url.href === text && (url.protocol === 'https:' || ownMachine.test(url.hostname))
  }, '须为以 https:// 开头的完整地址，例如 https://example.com/callback；本机地址除外')

/** Scheme, host and port alone, exactly as a browser writes an origin. */
export const origin = z
  .string()
  .max(255, { abort: true })
  .refine((text) => webAddress(text, ['https:', 'http:'])?.origin === text, '须为 https://example.com 形式的来源地址')

export const hexColor = z.string().regex(/^#[0-9a-fA-F]{6}$/, '须为 #rrggbb 形式的颜色')

/** Dial prefix; a plus in front is tolerated. */
export const mobilePrefix = z
  .string()
  .trim()
  .regex(/^\+?[1-9]\d{0,6}$/)
  .transform((text) => text.replace('+', ''))

/** As typed or pasted; the server validates the number per region. */
export const mobile = z.string().max(40).regex(/\d/)

export const email = z
  .string()
  .max(300)
  .transform((text) => text.normalize('NFKC').trim().toLowerCase())
  .pipe(z.email().max(254))

/** The solution of a PROOF_REQUIRED challenge. */
export const powSolution = z.string().min(1).max(2048)

/** A user's id, whole or its first eight characters as operators see them; case-insensitive. */
export const userReference = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[0-9a-f]{8}(?:(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?$/)

/** Which rows of a list. */
export const paging = z
  .object({
    top: z.int().min(1).max(100).default(10),
    skip: z.int().min(0).max(1_000_000_000).default(0),
  })
  .meta({ id: 'Paging' })

/** A page of rows and how many there are in all. */
export const listOf = <Row extends z.ZodType>(row: Row) => z.object({ count: z.number(), data: z.array(row) })

/** A file that a job creates, and its progress. */
export const madeFile = z
  .object({
    id: z.string(),
    status: z.enum(['waiting', 'running', 'done', 'failed']),
    /** Rows or sections written so far, and the approximate total. */
    done: z.number(),
    total: z.number(),
    time: z.number(),
    /** Until when the file can be fetched; null before it is done. */
    expires: z.number().nullable(),
  })
  .meta({ id: 'MadeFile' })
export type MadeFile = z.infer<typeof madeFile>

/** An upload of a file; the server gets its bytes. */
export const upload = z.instanceof(Uint8Array) as unknown as z.ZodType<Uint8Array, Blob>
