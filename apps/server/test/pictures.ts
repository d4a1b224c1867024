import type { Endpoint } from '@hufu/contract/endpoint'
import type { LightMyRequestResponse } from 'fastify'
import sharp, { type Sharp } from 'sharp'
import type { TestApp, TestBrowser, TestSite } from './test-app.ts'

export const plain = (width: number, height: number, background = '#c81e1e'): Sharp =>
  sharp({ create: { width, height, channels: 3, background } })

/** Left half red, right half blue. */
export async function halves(width: number, height: number): Promise<Sharp> {
  const blue = await plain(width / 2, height, '#0000ff')
    .png()
    .toBuffer()
  return plain(width, height, '#ff0000').composite([{ input: blue, left: width / 2, top: 0 }])
}

/** Red, green, blue and how solid a point is. */
export async function pointOf(picture: Buffer, left: number, top: number): Promise<number[]> {
  return [...(await sharp(picture).extract({ left, top, width: 1, height: 1 }).ensureAlpha().raw().toBuffer())]
}

const cookiesOf = ({ cookies }: TestBrowser) => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

let calls = 0
/** Each from another address, as set by a trusted proxy. */
const address = () => `10.2.${Math.floor(++calls / 250)}.${calls % 250}`

/** Uploads a file, as a page would. */
export async function upload(t: TestApp, site: TestSite, browser: TestBrowser, { path }: Endpoint, file: Buffer) {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(file)], { type: 'image/png' }), '图.png')
  const body = new Response(form)
  const reply = await t.app.inject({
    method: 'POST',
    url: path,
    headers: {
      host: site.host,
      'sec-fetch-site': 'same-origin',
      'content-type': body.headers.get('content-type') ?? '',
      'x-forwarded-for': address(),
      cookie: cookiesOf(browser),
    },
    payload: Buffer.from(await body.arrayBuffer()),
  })
  const { data, code, details } = reply.json()
  return { status: reply.statusCode, data, code, details }
}

/** Fetches a picture, as a page would. */
export const look = (
  t: TestApp,
  site: TestSite,
  browser: TestBrowser,
  url: string,
  headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' },
): Promise<LightMyRequestResponse> =>
  t.app.inject({ url, headers: { host: site.host, cookie: cookiesOf(browser), ...headers } })
