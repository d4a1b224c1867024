import type { ServerResponse } from 'node:http'
import { eventsPath, type WakeEvent } from '@hufu/contract/events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../platform/app-error.ts'
import type { SiteId, UserId } from '../platform/ids.ts'
import { gauge } from '../platform/metrics/metrics.ts'
import type { Wake } from '../platform/redis/live-events.ts'
import type { Deps } from '../shared/deps.ts'
import type { SessionToken } from '../shared/sessions/session-cookie.ts'
import { type Caller, findCaller } from '../shared/sessions/sessions.ts'
import { actsAs } from '../shared/step-up/operator-factor.ts'
import type { App } from './app.ts'
import { createCookies } from './cookies.ts'
import { always } from './headers.ts'
import { refuseForeignOrigin } from './origin.ts'

/** Proxies close connections that are silent for longer; with each heartbeat the session is checked again. */
const beatMs = 25_000
const mostStreams = 10_000
const mostPerUser = 30
/** A slow reader is disconnected: the browser reconnects and fetches what it missed. */
const mostUnread = 64 * 1024

const streamsNow = gauge('hufu_streams', 'Browsers that listen for events.')

interface Stream {
  site: SiteId
  userId: UserId
  token: SessionToken
  /** May read all conversations. */
  operator: boolean
  raw: ServerResponse
}

function write({ raw }: Stream, text: string): void {
  if (raw.writableLength > mostUnread) raw.destroy()
  else raw.write(text)
}

/**
 * One stream for each browser, which only sends wake-ups: the page fetches what is new, so nothing is lost with the
 * stream.
 */
export function serveEvents(app: App, deps: Deps): void {
  const cookies = createCookies(deps.config)
  const streams = new Map<SiteId, Set<Stream>>()
  let open = 0

  const of = (site: SiteId) => streams.get(site) ?? new Set<Stream>()

  /**
   * A session that ended, or whose secret was renewed, has no stream; the browser reconnects with its current cookie.
   */
  async function look(stream: Stream): Promise<void> {
    // An outage of the stores says nothing about the session: the stream stays.
    const caller = await findCaller(deps, stream.site, stream.token).catch(() => 'unknown' as const)
    if (caller === 'unknown') return
    if (!caller || caller === 'removed') stream.raw.end()
    else stream.operator = actsAs(deps, caller, 'READ')
  }

  function onWake({ site, user, conversation, seq, desk }: Wake): void {
    for (const stream of of(site)) {
      const own = stream.userId === user
      if (conversation === undefined || seq === undefined) {
        if (own) void look(stream)
      } else if ((own && !desk) || stream.operator) {
        const event: WakeEvent = { conversation, seq, ...(desk && { desk }) }
        write(stream, `data: ${JSON.stringify(event)}\n\n`)
      }
    }
  }

  async function beat(): Promise<void> {
    for (const stream of [...streams.values()].flatMap((each) => [...each])) {
      await look(stream)
      if (!stream.raw.writableEnded) write(stream, ':\n\n')
    }
  }

  /** A disabled site has no streams either. */
  function closeWithSites(): void {
    for (const [site, each] of streams)
      if (deps.sites.get(site)?.status !== 'active') for (const { raw } of each) raw.end()
  }

  async function admitted(request: FastifyRequest): Promise<{ token: SessionToken; caller: Caller }> {
    refuseForeignOrigin(request)
    const token = cookies.readToken(request)
    const caller = token && (await findCaller(deps, request.site.id, token))
    if (!token || !caller) throw new AppError('NOT_LOGGED_IN')
    if (caller === 'removed') throw new AppError('SESSION_REMOVED')
    const own = [...of(request.site.id)].filter(({ userId }) => userId === caller.userId).length
    if (open >= mostStreams || own >= mostPerUser) throw new AppError('SERVICE_BUSY')
    deps.usage.countAccess(request.site.id, caller.userId)
    return { token, caller }
  }

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    request.route = eventsPath
    const { token, caller } = await admitted(request)
    const site = request.site.id
    const { raw } = reply.hijack()
    app.release(request)
    raw.writeHead(200, { ...always, 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
    const stream: Stream = { site, userId: caller.userId, token, operator: actsAs(deps, caller, 'READ'), raw }
    streams.set(site, of(site).add(stream))
    streamsNow.value = ++open
    raw.once('close', () => {
      streamsNow.value = --open
      of(site).delete(stream)
      if (of(site).size === 0) streams.delete(site)
    })
    write(stream, 'retry: 2000\n\n')
  }

  const unsubscribe = deps.live.subscribe(onWake)
  const timers = [setInterval(() => void beat(), beatMs).unref(), setInterval(closeWithSites, 200).unref()]
  app.addHook('preClose', async () => {
    unsubscribe()
    for (const timer of timers) clearInterval(timer)
    for (const each of streams.values()) for (const { raw } of each) raw.end()
  })
  app.get(eventsPath, answer)
}
