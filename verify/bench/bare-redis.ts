import { createServer } from 'node:http'
import { Redis } from 'ioredis'

// Baseline of a call that reads Redis once: node:http, one GET or one MGET of several values, and the bytes it was given.
const body = Buffer.from(process.env.BODY ?? '', 'base64')
const keys = (process.env.KEYS ?? '').split(' ')
const [first] = keys
const redis = new Redis(process.env.HUFU_REDIS_URL ?? '')
createServer((request, response) => {
  request.on('data', () => {})
  request.on('end', async () => {
    const found = first && keys.length === 1 ? [await redis.get(first)] : await redis.mget(...keys)
    response.writeHead(found.every(Boolean) ? 200 : 500, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': body.length,
    })
    response.end(body)
  })
}).listen(Number(process.env.PORT), '127.0.0.1')
