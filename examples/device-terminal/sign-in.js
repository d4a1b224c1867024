import { readFileSync } from 'node:fs'
import * as openid from 'openid-client'
import { renderUnicodeCompact } from 'uqr'

const { issuer, client_id } = JSON.parse(readFileSync('client.json', 'utf8'))
const local = issuer.startsWith('http://')

const config = await openid.discovery(new URL(issuer), client_id, undefined, openid.None(), {
  execute: local ? [openid.allowInsecureRequests] : [],
})

// offline_access: this device stays signed in when the user signs out on the phone.
const device = await openid.initiateDeviceAuthorization(config, { scope: 'openid profile offline_access' })

console.log(renderUnicodeCompact(device.verification_uri_complete, { border: 2 }))
console.log(`Scan the code, or open ${device.verification_uri} and type ${device.user_code}`)
console.log(`Link: ${device.verification_uri_complete}`)

try {
  // Waits as long as the interval says, longer after slow_down, and ends when the code expires.
  const tokens = await openid.pollDeviceAuthorizationGrant(config, device)
  const { sub } = tokens.claims()
  const user = await openid.fetchUserInfo(config, tokens.access_token, sub)
  console.log(`Signed in as ${user.nickname ?? sub}`)
  // A real device keeps the refresh token where other programs can't read it.
  const fresh = await openid.refreshTokenGrant(config, tokens.refresh_token)
  console.log(`Refreshed, scopes: ${fresh.scope}`)
  if (process.argv.includes('--sign-out')) {
    await openid.tokenRevocation(config, fresh.refresh_token)
    console.log('Signed out')
  }
} catch (error) {
  const reasons = { access_denied: 'The sign-in was declined.', expired_token: 'The code has expired, start again.' }
  console.error(reasons[error.error] ?? error)
  process.exitCode = 1
}
