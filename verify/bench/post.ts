import { type IncomingHttpHeaders, request } from 'node:http'

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** One POST with a Host of our choice, which fetch won't send. */
export function post(url: string, headers: Record<string, string>, body: string | Buffer = '{}'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk) => chunks.push(chunk))
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
        )
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** The cookies that an answer sets, as the next request sends them. */
export const cookiesOf = (headers: IncomingHttpHeaders): string =>
  (headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ')
