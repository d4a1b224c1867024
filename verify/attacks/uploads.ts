import type { Endpoint } from '@hufu/contract/endpoint'
import { addPicture, addReplyPicture } from '@hufu/contract/feedback'
import { addBackground, addLogo } from '@hufu/contract/merchant-config'
import { changeAvatar } from '@hufu/contract/profile'
import sharp from 'sharp'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { type Browser, freshAddress, nextUrl } from '../harness/harness.ts'
import { type Reply, send } from '../harness/http.ts'

/** Every call that takes a file. */
export const uploads: readonly Endpoint[] = [changeAvatar, addPicture, addReplyPicture, addLogo, addBackground]

export interface Sent {
  /** What the file calls itself. */
  type?: string
  name?: string
  url?: string
}

/** Uploads a file, as a page would. */
export function upload(
  site: TestSite,
  { cookies }: Pick<Browser, 'cookies'>,
  { path }: Endpoint,
  file: Buffer,
  { type = 'image/png', name = 'a.png', url = nextUrl() }: Sent = {},
): Promise<Reply> {
  const boundary = 'hufuhufuhufu'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`
  return send(url, {
    path,
    body: Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    headers: {
      host: site.host,
      'sec-fetch-site': 'same-origin',
      'content-type': `multipart/form-data; boundary=${boundary}`,
      cookie: [...cookies].map(([key, value]) => `${key}=${value}`).join('; '),
      'x-forwarded-for': freshAddress(),
    },
  })
}

export const dataOf = <Data>({ body }: Reply): Data => (JSON.parse(body) as { data: Data }).data

/** A harmless picture. */
export const photo = (): Promise<Buffer> =>
  sharp({ create: { width: 60, height: 40, channels: 3, background: '#5374fa' } })
    .png()
    .toBuffer()
