import { createHash, randomBytes } from 'node:crypto'
import sharp from 'sharp'

/** A simulated user with WeChat. */
export interface Person {
  id: string
  nickname: string
  /** The account is linked to an open platform and knows this user across its apps. */
  united: boolean
  /** WeChat shows the page as a snapshot and makes up a stand-in. */
  snapshot: boolean
  /** Follows the official account, and so may get messages. */
  follows: boolean
  /** Of the picture's background, in degrees. */
  hue: number
  /** Raised when the user changes the picture; the former address is dead then. */
  picture: number
}

const person = (id: string, nickname: string, hue: number, more: Partial<Person> = {}): Person => ({
  ...{ id, nickname, hue, united: true, snapshot: false, follows: true, picture: 1 },
  ...more,
})

export const people: readonly Person[] = [
  person('lin', '林小满', 265),
  person('chen', '陈默', 200),
  person('zhou', '周末去爬山', 30, { united: false, follows: false }),
  person('snapshot', '微信用户', 0, { united: false, snapshot: true, follows: false }),
]

/** Chooses no user: the owner of the phone taps 拒绝. */
export const refusal = 'refuse'

const idOf = (...parts: string[]) => `o${createHash('sha256').update(parts.join('/')).digest('base64url').slice(0, 27)}`

/** Each app knows a user by another id; that of a snapshot is made up anew each time. */
export const openidOf = (appId: string, { id, snapshot }: Person): string =>
  snapshot ? `o${randomBytes(21).toString('base64url').slice(0, 27)}` : idOf(appId, id)

export const unionidOf = ({ id, united }: Person): string | undefined => (united ? idOf('union', id) : undefined)

/** A head and shoulders before a coloured ground, as JPEG, square. */
export function drawPicture({ hue, snapshot, picture }: Person, size: number): Promise<Buffer> {
  const ground = snapshot ? '#c8ccd4' : `hsl(${(hue + 70 * (picture - 1)) % 360} 55% 62%)`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" width="${size}" height="${size}">
    <rect width="100" height="100" fill="${ground}"/><g fill="#fff" fill-opacity=".92"><circle cx="50" cy="39" r="17"/>
    <path d="M14 100c0-24 16-36 36-36s36 12 36 36z"/></g></svg>`
  return sharp(Buffer.from(svg)).jpeg({ quality: 88 }).toBuffer()
}
