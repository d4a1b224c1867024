import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFaults, type Faults } from './faults.ts'
import type { Receive } from './inbox-store.ts'
import { listen, readBody, type Simulator, sendJson } from './loopback.ts'

/** What both simulated SMS gateways are started with. */
export interface GatewayOptions {
  /** Secrets by the id of their key. */
  keys: Record<string, string>
  signNames: string[]
  /** Texts by the code of their template, with the gateway's own placeholders. */
  templates: Record<string, string>
  receive: Receive
  /** Whether the carrier's limits hold. */
  limits?: boolean
  now?: () => number
}

export interface GatewayRequest {
  method: string
  path: string
  /** As it arrived, without the question mark. */
  query: string
  headers: IncomingHttpHeaders
  body: string
}

export interface Reply {
  status: number
  body: unknown
}

export interface Gateway {
  answer(request: GatewayRequest): Reply
  fail(): Reply
  refuse(code: string | undefined): Reply
}

/** Serves a gateway with its faults, which `POST /control` sets. */
export function startGateway(gateway: Gateway): Promise<Simulator> {
  const faults = createFaults()
  return listen(0, async (request, response) => {
    if (request.url === '/control') return faults.control(request, response)
    await serve(gateway, faults, request, response)
  })
}

async function serve(gateway: Gateway, faults: Faults, request: IncomingMessage, response: ServerResponse) {
  const { pathname, search } = new URL(request.url ?? '/', 'http://gateway')
  const arrived: GatewayRequest = {
    method: request.method ?? '',
    path: pathname,
    query: search.slice(1),
    headers: request.headers,
    body: await readBody(request),
  }
  const { mode, delayMs = 2_000, code, deliver } = faults.next()
  if (mode === 'slow') await sleep(delayMs)
  if (mode === 'ok' || mode === 'slow') return send(response, gateway.answer(arrived))
  if (mode === 'refuse') return send(response, gateway.refuse(code))
  if (deliver) gateway.answer(arrived)
  if (mode === 'fail') send(response, gateway.fail())
  if (mode === 'reset') request.socket.resetAndDestroy()
}

const send = (response: ServerResponse, { status, body }: Reply) => sendJson(response, status, body)
