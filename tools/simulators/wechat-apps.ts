import { createFaults, type Fault, type Faults, isFault } from './faults.ts'
import { openidOf, type Person, people, refusal } from './wechat-users.ts'

/** An official account as WeChat sees it; each has a world of its own, so that tests don't meet. */
export interface App {
  appId: string
  secret: string
  people: Person[]
  /** The owner of the phone if the browser has picked no user. */
  person: string
  /** Asks nothing: the phone's owner agrees, or refuses, at once. */
  auto: boolean
  /** Seconds that a new access token lives. */
  expiresIn: number
  /** The app's own access token. */
  token: AppToken | undefined
  /** How many different ones there have been. */
  issued: number
  faults: Faults
  /** The only path that the fault is about. */
  faultPath: string | undefined
  /** Answers to come instead of the right ones, by path. */
  refusals: Map<string, { errcode: number; left: number }>
  /** How often each path was asked. */
  counts: Map<string, number>
  /** As it stands on WeChat's own site; undefined where there is none. */
  menu: object | undefined
}

export interface AppToken {
  value: string
  expiresAt: number
  /** The one that it replaced, which is good until its own end. */
  former: AppToken | undefined
}

export interface Apps {
  find(appId: string): App | undefined
  /** Does what the body of a `POST /control` says; undefined when that makes no sense. */
  order(text: string): App | undefined
}

/** Everything that `POST /control` takes; of the first app unless `appId` is given, and with `secret` a new one is made. */
interface Order extends Partial<Fault> {
  appId?: string
  secret?: string
  person?: string
  auto?: boolean
  /** What a user has changed about themselves. */
  change?: Partial<Person> & { id: string }
  /** With `errcode` the path that is refused, `count` times; with `mode` the only path with that fault. */
  path?: string
  errcode?: number
  expiresIn?: number
  /** Ends the app's token at once, as when another server forces a new one. */
  voidToken?: true
  menu?: object | null
}

const firstMenu = {
  button: [
    { name: '服务', sub_button: { list: [{ type: 'view', name: '官网', url: 'https://www.qingyu.example/' }] } },
    { type: 'click', name: '帮助', key: 'HELP' },
  ],
}

const createApp = (appId: string, secret: string): App => ({
  appId,
  secret,
  people: structuredClone([...people]),
  person: 'lin',
  auto: false,
  expiresIn: 7_200,
  token: undefined,
  issued: 0,
  faults: createFaults(),
  faultPath: undefined,
  refusals: new Map(),
  counts: new Map(),
  menu: firstMenu,
})

export const findPerson = (app: App, id: string | undefined) => app.people.find((person) => person.id === id)

export const personByOpenid = (app: App, openid: string) =>
  app.people.find((person) => !person.snapshot && openidOf(app.appId, person) === openid)

export function createApps(first: { appId: string; secret: string }): Apps {
  const apps = new Map([[first.appId, createApp(first.appId, first.secret)]])

  function order(text: string): App | undefined {
    const wanted = readOrder(text)
    if (!wanted) return undefined
    const { appId = first.appId, secret } = wanted
    if (secret && !apps.has(appId)) apps.set(appId, createApp(appId, secret))
    const app = apps.get(appId)
    return app && obey(app, wanted) ? app : undefined
  }
  return { find: (appId) => apps.get(appId), order }
}

function obey(app: App, order: Order): boolean {
  const { person, auto = false, change, path, errcode, count = Number.POSITIVE_INFINITY } = order
  if (person !== undefined) {
    if (!findPerson(app, person) && person !== refusal) return false
    Object.assign(app, { person, auto })
  }
  if (change) {
    const changed = findPerson(app, change.id)
    if (!changed) return false
    Object.assign(changed, change)
  }
  if (order.expiresIn) app.expiresIn = order.expiresIn
  if (order.voidToken) app.token = undefined
  if (order.menu !== undefined) app.menu = order.menu ?? undefined
  if (errcode !== undefined) {
    if (!path) return false
    app.refusals.set(path, { errcode, left: count })
  } else if (order.mode !== undefined) {
    if (!isFault(order)) return false
    app.faults.set(order)
    app.faultPath = path
  }
  return true
}

function readOrder(text: string): Order | undefined {
  try {
    const order: unknown = JSON.parse(text)
    return typeof order === 'object' && order !== null ? order : undefined
  } catch {
    return undefined
  }
}

/** The answer that was ordered for this path instead of the right one. */
export function orderedRefusal({ refusals }: App, path: string): number | undefined {
  const ordered = refusals.get(path)
  return ordered && ordered.left-- > 0 ? ordered.errcode : undefined
}

/** The response of `GET /control`. */
export const stateOf = (app: App) => ({
  appId: app.appId,
  person: app.person,
  auto: app.auto,
  issued: app.issued,
  counts: Object.fromEntries(app.counts),
})
