import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

// Any server for static files does. The content security policy is what keeps tokens in the page safe from other scripts.
const app = process.env.APP ?? 'http://localhost:3000'
const { issuer } = JSON.parse(readFileSync('client.json', 'utf8'))
const policy = `default-src 'none'; script-src 'self'; connect-src 'self' ${issuer}; base-uri 'none'; frame-ancestors 'none'`

const html = 'text/html; charset=utf-8'
const script = 'text/javascript; charset=utf-8'
const files = {
  '/': ['public/index.html', html],
  '/app.js': ['public/app.js', script],
  '/oidc-client-ts.js': ['node_modules/oidc-client-ts/dist/browser/oidc-client-ts.min.js', script],
  '/client.json': ['client.json', 'application/json'],
}

createServer((request, response) => {
  const [file, type] = files[new URL(request.url, app).pathname] ?? []
  if (!file) return response.writeHead(404).end()
  response.writeHead(200, { 'content-type': type, 'content-security-policy': policy, 'cache-control': 'no-cache' })
  response.end(readFileSync(file))
}).listen(new URL(app).port, () => console.log(`ready at ${app}`))
