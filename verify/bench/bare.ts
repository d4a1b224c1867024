import { createServer } from 'node:http'

// Baseline: node:http alone, reading the body and answering the bytes it was given.
const body = Buffer.from(process.env.BODY ?? '', 'base64')
createServer((request, response) => {
  request.on('data', () => {})
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length })
    response.end(body)
  })
}).listen(Number(process.env.PORT), '127.0.0.1')
