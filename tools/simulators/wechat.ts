import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Receive } from './inbox-store.ts'
import { listen, readBody, type Simulator, sendJson } from './loopback.ts'
import { type App, createApps, findPerson, orderedRefusal, stateOf } from './wechat-apps.ts'
import { createMenu, readMenu } from './wechat-menu.ts'
import { type Code, exchange, readAuthorize, readUserInfo, wayBack } from './wechat-oauth.ts'
import { authorizePage, faultPage, pagePolicy } from './wechat-page.ts'
import { type Sent, sendTemplate, templates } from './wechat-template.ts'
import { appOfToken, giveToken } from './wechat-token.ts'
import { drawPicture, refusal } from './wechat-users.ts'
import { type Answer, complain, parseJson, type WechatCall, type World } from './wechat-wire.ts'

export interface WechatOptions {
  app: { appId: string; secret: string }
  receive: Receive
  now?: () => number
}

type Handle = (call: WechatCall) => Answer
type AppHandle = (app: App, call: WechatCall) => Answer

/** WeChat's open, api and picture servers in one. */
export async function startWechat({ app: first, receive, now = Date.now }: WechatOptions): Promise<Simulator> {
  const world: World = { apps: createApps(first), tokens: new Map(), now }
  const codes = new Map<string, Code>()
  const sent: Sent = new Map()
  const withToken = (handle: AppHandle) => (call: WechatCall) => {
    const owner = appOfToken(world, call)
    return 'complaint' in owner ? owner.complaint : handle(owner.app, call)
  }
  const calls: Record<string, Handle> = {
    '/sns/oauth2/access_token': (call) => exchange(world, codes, call),
    '/sns/userinfo': (call) => readUserInfo(world, simulator.url, call),
    '/cgi-bin/stable_token': (call) => giveToken(world, call),
    '/cgi-bin/get_current_selfmenu_info': withToken(readMenu),
    '/cgi-bin/menu/create': withToken(createMenu),
    '/cgi-bin/template/get_all_private_template': withToken(() => ({ template_list: templates })),
    '/cgi-bin/message/template/send': withToken((app, call) => sendTemplate({ receive, sent, now }, app, call)),
  }

  async function control(request: IncomingMessage, response: ServerResponse, query: URLSearchParams) {
    const posted = request.method === 'POST'
    const app = posted ? world.apps.order(await readBody(request)) : world.apps.find(query.get('appid') ?? first.appId)
    if (!app) return sendJson(response, 400, { message: 'no such app, user, path or mode' })
    sendJson(response, 200, { data: stateOf(app) })
  }

  function authorize(request: IncomingMessage, response: ServerResponse, query: URLSearchParams) {
    const wanted = readAuthorize(world, query)
    if (typeof wanted === 'string') return sendPage(response, faultPage(wanted))
    const { app, scope } = wanted
    const picked = query.get('person') ?? undefined
    // A user who agreed before isn't asked again, unless the site wants it.
    const asked = scope === 'snsapi_userinfo' && query.get('forcePopup') === 'true'
    const chosen = picked ?? (app.auto && !asked ? app.person : undefined)
    const owner = scope === 'snsapi_base' ? (chosen ?? pickedBefore(request, app) ?? app.person) : chosen
    if (owner === undefined) return sendPage(response, authorizePage(wanted))
    if (owner !== refusal && !findPerson(app, owner)) return sendPage(response, faultPage('没有这个人'))
    const cookie = picked && picked !== refusal && `wechat_person=${picked}; Path=/connect; HttpOnly; SameSite=Lax`
    response
      .writeHead(302, {
        location: wayBack(world, codes, wanted, owner),
        'cache-control': 'no-store',
        ...(cookie && { 'set-cookie': cookie }),
      })
      .end()
  }

  async function sendPicture(response: ServerResponse, appId: string, id: string, version: number) {
    const app = world.apps.find(appId)
    const person = app && findPerson(app, id)
    if (person?.picture !== version) return sendJson(response, 404, { message: 'not found' })
    response.writeHead(200, { 'content-type': 'image/jpeg' }).end(await drawPicture(person, 132))
  }

  async function answer(handle: Handle, call: WechatCall, request: IncomingMessage, response: ServerResponse) {
    const app = appOf(world, call)
    app?.counts.set(call.path, (app.counts.get(call.path) ?? 0) + 1)
    const { mode, delayMs = 2_000, code, deliver } = faultFor(app, call.path)
    const errcode = app && orderedRefusal(app, call.path)
    if (mode === 'slow') await sleep(delayMs)
    if (mode === 'ok' || mode === 'slow') return send(response, errcode ? complain(errcode) : handle(call))
    if (mode === 'refuse') return send(response, complain(Number(code ?? 45009)))
    if (deliver) handle(call)
    if (mode === 'fail') send(response, complain(-1))
    if (mode === 'reset') request.socket.resetAndDestroy()
  }

  const simulator = await listen(0, async (request, response) => {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://wechat')
    if (path === '/control') return control(request, response, query)
    if (path === '/connect/oauth2/authorize') return authorize(request, response, query)
    if (path === '/page.css') return sendStyle(response)
    const [, appId, person, version] = /^\/mmopen\/vi_32\/(\w+)-(\w+)-(\d+)\/132$/.exec(path) ?? []
    if (appId && person) return sendPicture(response, appId, person, Number(version))
    const handle = calls[path]
    if (!handle) return sendJson(response, 404, { message: 'not found' })
    await answer(
      handle,
      { method: request.method ?? '', path, query, body: await readBody(request) },
      request,
      response,
    )
  })
  return simulator
}

/** Whose call it is: by its app id or by the token that was given to an app. */
function appOf({ apps, tokens }: World, { query, body }: WechatCall): App | undefined {
  const named = query.get('appid') ?? parseJson(body)?.appid
  return typeof named === 'string' ? apps.find(named) : tokens.get(query.get('access_token') ?? '')?.app
}

function faultFor(app: App | undefined, path: string) {
  const meant = app && (app.faultPath === undefined || app.faultPath === path)
  return meant ? app.faults.next() : { mode: 'ok' as const }
}

function pickedBefore(request: IncomingMessage, app: App): string | undefined {
  const id = /(?:^|;\s*)wechat_person=(\w+)/.exec(request.headers.cookie ?? '')?.[1]
  return findPerson(app, id)?.id
}

function send(response: ServerResponse, answer: Answer): void {
  response
    .writeHead(200, { 'content-type': 'application/json; encoding=utf-8' })
    .end(typeof answer === 'string' ? answer : JSON.stringify(answer))
}

function sendPage(response: ServerResponse, html: string): void {
  response
    .writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': pagePolicy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    .end(html)
}

async function sendStyle(response: ServerResponse) {
  const style = await readFile(join(import.meta.dirname, 'wechat-page', 'page.css'))
  response.writeHead(200, { 'content-type': 'text/css; charset=utf-8', 'x-content-type-options': 'nosniff' }).end(style)
}
