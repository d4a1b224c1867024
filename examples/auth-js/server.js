import { Auth, skipCSRFCheck } from '@auth/core'
import { getToken } from '@auth/core/jwt'
import { ExpressAuth, getSession } from '@auth/express'
import express from 'express'
import { authConfig, client } from './auth.js'
import { discover, endSession } from './backchannel-logout.js'

const app = process.env.APP ?? 'http://localhost:3000'
const server = express()
// A proxy on this machine says by X-Forwarded-Proto that the browser uses https.
server.set('trust proxy', 'loopback')
const escaped = (value) => String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** Asks Auth.js for one of its actions without its own page in between. */
async function act(request, response, action, config = {}) {
  const answer = await Auth(
    new Request(`${app}/auth/${action}`, { method: 'POST', headers: { cookie: request.headers.cookie ?? '' } }),
    { ...authConfig, ...config, skipCSRFCheck },
  )
  for (const [name, value] of answer.headers) response.append(name, value)
  response.status(answer.status).end()
}

/** Where to send the browser to sign out of the account centre as well. */
async function logoutAddress(idToken) {
  const address = new URL((await discover(client.issuer)).end_session_endpoint)
  address.search = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: `${app}/` })
  return address.href
}

// The callback of the account centre is /auth/callback/hufu.
server.use('/auth', ExpressAuth(authConfig))

server.get('/', async (request, response) => {
  const session = await getSession(request, authConfig)
  const body = session
    ? `<h1>Signed in</h1><pre>${escaped(JSON.stringify(session.claims, null, 2))}</pre>
       <form method="post" action="/logout"><button>Sign out</button></form>`
    : '<h1>Not signed in</h1><a href="/login">Sign in</a>'
  response.set('cache-control', 'no-store').send(`<!doctype html><html lang="en"><meta charset="utf-8">
    <meta name="viewport" content="width=device-width"><title>Example</title>${body}</html>`)
})

server.get('/login', (request, response) => act(request, response, 'signin/hufu'))

server.post('/logout', async (request, response) => {
  const secureCookie = app.startsWith('https:')
  const token = await getToken({ req: request, secret: authConfig.secret, secureCookie })
  const address = token ? await logoutAddress(token.idToken) : '/'
  await act(request, response, 'signout', { callbacks: { ...authConfig.callbacks, redirect: () => address } })
})

server.post('/backchannel-logout', express.urlencoded({ extended: false }), async (request, response) => {
  const known = await endSession(request.body?.logout_token ?? '', client).then(
    () => true,
    () => false,
  )
  response.set('cache-control', 'no-store').sendStatus(known ? 200 : 400)
})

server.listen(new URL(app).port, () => console.log(`ready at ${app}`))
