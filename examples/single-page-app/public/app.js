const { InMemoryWebStorage, UserManager, WebStorageStateStore } = globalThis.oidc

/** As `hufu client add` printed it; a client of this kind has no secret. */
const { issuer, client_id: clientId } = await (await fetch('/client.json')).json()
const home = `${location.origin}/`

const manager = new UserManager({
  authority: issuer,
  client_id: clientId,
  redirect_uri: home,
  post_logout_redirect_uri: home,
  scope: 'openid profile phone',
  // Nickname, number and address come from userinfo, not in the ID token.
  loadUserInfo: true,
  filterProtocolClaims: false,
  // In memory, so that no storage of the browser holds them. After a reload the user signs in again, without a question.
  userStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
  // Renewed below with the refresh token: the account centre can't be put in an iframe.
  automaticSilentRenew: false,
})

function draw(...elements) {
  document.body.replaceChildren(...elements)
}

function element(tag, words, onclick) {
  return Object.assign(document.createElement(tag), { textContent: words, onclick })
}

const signIn = () => manager.signinRedirect({ nonce: crypto.randomUUID() })

function showSignedOut() {
  draw(element('h1', 'Not signed in'), element('button', 'Sign in', signIn))
}

function showSignedIn(user) {
  draw(
    element('h1', 'Signed in'),
    element('pre', JSON.stringify(user.profile, null, 2)),
    ...(user.refresh_token ? [element('button', 'Refresh', renew)] : []),
    element('button', 'Sign out', () => manager.signoutRedirect()),
  )
}

/** Without a new token the user is signed out here: the grant has ended. */
async function renew() {
  await manager.signinSilent().catch((error) => error.error === 'invalid_grant' && manager.removeUser())
}

manager.events.addUserLoaded(showSignedIn)
manager.events.addUserUnloaded(showSignedOut)
manager.events.addAccessTokenExpiring(async () => (await manager.getUser())?.refresh_token && renew())

/** Back from the account centre: with a code, with an error such as access_denied, or from a sign-out. */
async function finish(query) {
  history.replaceState(null, '', '/')
  if (!query.has('state')) return showSignedOut()
  await manager.signinCallback(`${home}?${query}`)
}

await finish(new URLSearchParams(location.search)).catch((error) =>
  draw(
    element('h1', 'Sign-in failed'),
    element('p', error.error ?? error.message),
    element('button', 'Try again', signIn),
  ),
)
