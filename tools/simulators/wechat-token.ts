import { randomBytes } from 'node:crypto'
import type { App, AppToken } from './wechat-apps.ts'
import { type Answer, complain, parseJson, type WechatCall, type World } from './wechat-wire.ts'

/** The time before its end in which a token is replaced; both are valid then. */
const overlapMs = 300_000

/** `/cgi-bin/stable_token` */
export function giveToken(world: World, { method, body }: WechatCall): Answer {
  if (method !== 'POST') return complain(43002)
  const json = parseJson(body)
  if (!json) return complain(47001)
  if (json.grant_type !== 'client_credential') return complain(40002)
  const app = world.apps.find(String(json.appid))
  if (!app) return complain(40013)
  if (json.secret !== app.secret) return complain(40125)
  if (json.force_refresh === true) app.token = undefined
  const { token } = app
  const given = token && token.expiresAt - world.now() > overlapMs ? token : newToken(world, app)
  return { access_token: given.value, expires_in: Math.floor((given.expiresAt - world.now()) / 1_000) }
}

function newToken(world: World, app: App): AppToken {
  const expiresAt = world.now() + app.expiresIn * 1_000
  const token: AppToken = { value: randomBytes(100).toString('base64url'), expiresAt, former: app.token }
  world.tokens.set(token.value, { app, expiresAt })
  if (token.former) token.former.former = undefined
  app.token = token
  app.issued++
  return token
}

/** The app whose token came with the call, or WeChat's complaint about it. */
export function appOfToken(world: World, { query }: WechatCall): { app: App } | { complaint: Answer } {
  const value = query.get('access_token')
  if (!value) return { complaint: complain(41001) }
  const { app, expiresAt = 0 } = world.tokens.get(value) ?? {}
  if (!app || ![app.token?.value, app.token?.former?.value].includes(value)) return { complaint: complain(40001) }
  return world.now() >= expiresAt ? { complaint: complain(42001) } : { app }
}
