import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { app, finishLogin, logoutAddress, readLogoutToken, refresh, startLogin } from './relying-party.js'

// A site of its own that signs its users in through the account centre. Sessions are in memory; yours are in your database.
const sessions = new Map()
/** Sign-ins on their way. */
const started = new Map()

const cookieOf = (request, name) => new RegExp(`(?:^|; )${name}=([^;]*)`).exec(request.headers.cookie ?? '')?.[1]
const secure = app.startsWith('https:') ? '; Secure' : ''
const cookie = (name, value, seconds) => `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`
const escaped = (value) => String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

function leadTo(response, address, cookies = []) {
  response.writeHead(303, { location: address, 'set-cookie': cookies, 'cache-control': 'no-store' }).end()
}

function page(response, status, body) {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
  response.end(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
    <title>Example</title>${body}</html>`)
}

const button = (path, words) => `<form method="post" action="${path}"><button>${words}</button></form>`

function home(request, response) {
  const user = sessions.get(cookieOf(request, 'session'))
  if (!user) return page(response, 200, '<h1>Not signed in</h1><a href="/login">Sign in</a>')
  const shown = escaped(JSON.stringify({ ...user.claims, ...user.info }, null, 2))
  const again = user.refreshToken ? button('/refresh', 'Refresh') : ''
  page(response, 200, `<h1>Signed in</h1><pre>${shown}</pre>${again}${button('/logout', 'Sign out')}`)
}

async function login(_request, response) {
  const { address, checks } = await startLogin()
  const id = randomBytes(16).toString('base64url')
  started.set(id, checks)
  setTimeout(() => started.delete(id), 600_000).unref()
  leadTo(response, address, [cookie('login', id, 600)])
}

async function callback(request, response, query) {
  const id = cookieOf(request, 'login')
  const checks = started.get(id)
  started.delete(id)
  if (!checks) return leadTo(response, '/login')
  const session = randomBytes(32).toString('base64url')
  sessions.set(session, await finishLogin(query, checks))
  leadTo(response, '/', [cookie('login', '', 0), cookie('session', session, 86_400)])
}

async function renew(request, response) {
  const id = cookieOf(request, 'session')
  const user = sessions.get(id)
  if (!user) return leadTo(response, '/')
  sessions.set(id, await refresh(user))
  leadTo(response, '/')
}

async function logout(request, response) {
  const id = cookieOf(request, 'session')
  const user = sessions.get(id)
  sessions.delete(id)
  leadTo(response, user ? await logoutAddress(user) : '/', [cookie('session', '', 0)])
}

async function backchannelLogout(request, response) {
  const form = new URLSearchParams(await text(request))
  const sid = await readLogoutToken(form.get('logout_token') ?? '').catch(() => undefined)
  if (!sid) return response.writeHead(400, { 'cache-control': 'no-store' }).end()
  for (const [id, user] of sessions) if (user.claims.sid === sid) sessions.delete(id)
  response.writeHead(200, { 'cache-control': 'no-store' }).end()
}

const routes = {
  'GET /': home,
  'GET /login': login,
  'GET /callback': callback,
  'POST /refresh': renew,
  'POST /logout': logout,
  'POST /backchannel-logout': backchannelLogout,
}

createServer(async (request, response) => {
  const { pathname, search } = new URL(request.url, app)
  const route = routes[`${request.method} ${pathname}`]
  if (!route) return page(response, 404, '<h1>Not found</h1>')
  try {
    await route(request, response, search)
  } catch (error) {
    console.error(error)
    // `error` is what the account centre answered, such as access_denied.
    page(
      response,
      502,
      `<h1>Sign-in failed</h1><p>${escaped(error.error ?? error.code)}</p><a href="/login">Try again</a>`,
    )
  }
}).listen(new URL(app).port, () => console.log(`ready at ${app}`))
