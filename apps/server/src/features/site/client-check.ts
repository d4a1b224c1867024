import { isAppAddress } from '@hufu/contract/fields'
import { isMachineScope } from '@hufu/contract/machine-scopes'
import type { ConfigFault } from '@hufu/contract/merchant-config'
import type { ClientKind } from '@hufu/contract/oidc'
import type { SiteConfig } from '@hufu/contract/site'
import type { Client } from '../../shared/sites/client-gate.ts'
import { isThirdParty } from '../../shared/sites/oidc-clients.ts'
import { publicKeyFault } from './client-keys.ts'
import { mask } from './config-secrets.ts'

/** What is wrong with one client, by the path below it. */
type ClientRule = (client: Client) => ConfigFault[]

const fault = (message: string, ...path: ConfigFault['path']): ConfigFault => ({ path, message })

const kindNames: Record<ClientKind, string> = {
  web: '网站',
  spa: '单页应用',
  native: '客户端',
  machine: '服务端程序',
}

const ofPublic = ['secret', 'previousSecret', 'publicKeys', 'pkceOptional', 'introspection', 'deletionUrl'] as const
const ofUsers = ['returns', 'logoutReturns', 'backchannelUrl', 'pkceOptional', 'device', 'deletionUrl'] as const

/** What a kind can't have: an app in the user's hands no secret, nor what is signed with it; a machine no users. */
const useless: Record<ClientKind, readonly (keyof Client)[]> = {
  web: [],
  spa: [...ofPublic, 'device'],
  native: ofPublic,
  machine: ofUsers,
}

const isSet = (value: unknown) => (Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false)

const uselessFields: ClientRule = (client) => {
  const { kind } = client
  if (!kind) return []
  return useless[kind]
    .filter((field) => isSet(client[field]))
    .map((field) => fault(`${kindNames[kind]}（${kind}）不能使用此项，请删除`, String(field)))
}

const withoutReturns: ClientRule = ({ kind, device, returns = [] }) =>
  kind && kind !== 'machine' && device !== true && returns.length === 0
    ? [fault('请填写至少一个登录后返回的地址', 'returns')]
    : []

/** In an Authorization header an id stands before a colon, percent-encoded or not. */
const plainId = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

const oddIds: ClientRule = ({ kind, id }) => {
  // The seal path of another client's former secret.
  if (id.endsWith('/previous')) return [fault('不能以 /previous 结尾', 'id')]
  return kind && !plainId.test(id) ? [fault('只能由英文字母、数字和 . _ - 组成，并以字母或数字开头', 'id')] : []
}

const addressLists = ['returns', 'logoutReturns'] as const

/** Addresses that the client's kind can't use. */
const strangeAddresses: ClientRule = (client) =>
  addressLists.flatMap((list) =>
    (client[list] ?? []).flatMap((address, at) => {
      const message = addressFault(client.kind, address)
      return message ? [fault(message, list, at)] : []
    }),
  )

function addressFault(kind: ClientKind | undefined, address: string): string | undefined {
  if (isAppAddress(address))
    return kind === 'native' ? undefined : '须以 https:// 开头；只有客户端（native）可以使用自己的协议'
  // What the app listens to on the user's machine has no certificate.
  const local = /^https:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/]/.test(address)
  return kind === 'native' && local ? '客户端（native）的本机地址须以 http:// 开头' : undefined
}

/** A user has one id for each third-party client: what shares it is one site. */
const manyHosts: ClientRule = (client) => {
  if (!isThirdParty(client)) return []
  const hosts = (client.returns ?? []).map((address) => new URL(address).host)
  const other = hosts.findIndex((host) => host !== hosts[0])
  const message = '第三方应用的返回地址须属于同一域名和端口；其他域名请登记为另一个应用'
  return other === -1 ? [] : [fault(message, 'returns', other)]
}

const scopesTwice: ClientRule = ({ scopes = [] }) =>
  scopes.flatMap(({ name }, at) =>
    scopes.findIndex((scope) => scope.name === name) < at
      ? [fault('重复，每项信息只写一次', 'scopes', at, 'name')]
      : [],
  )

/** Users give other scopes than machines have. */
const scopesOfKind: ClientRule = ({ kind, scopes = [] }) =>
  scopes.flatMap(({ name, reason, required }, at) => {
    if (isMachineScope(name) !== (kind === 'machine'))
      return [fault(`${kind ? `${kindNames[kind]}（${kind}）` : '旧版接入方式'}没有此项`, 'scopes', at, 'name')]
    if (kind !== 'machine') return []
    const useless = reason !== undefined ? 'reason' : required !== undefined ? 'required' : undefined
    return useless ? [fault('服务端程序（machine）不能使用此项，请删除', 'scopes', at, useless)] : []
  })

const wrongKeys: ClientRule = ({ publicKeys = [] }) =>
  publicKeys.flatMap((key, at) => {
    const found = publicKeyFault(key)
    return found ? [fault(found.message, 'publicKeys', at, ...found.path)] : []
  })

const leastSecret = 16

/** Client secrets can be guessed over the network, so new ones have a minimum length. A kept one stays valid. */
const weakSecrets: ClientRule = (client) =>
  (['secret', 'previousSecret'] as const).flatMap((field) => {
    const secret = client[field]
    if (secret === undefined || secret === mask) return []
    if (secret.length < leastSecret) return [fault(`不能少于 ${leastSecret} 个字符`, field)]
    return client.kind && !/^[!-~]+$/.test(secret) ? [fault('只能由英文字母、数字和符号组成', field)] : []
  })

const ownMachine = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** Notices about users go to the client itself, encrypted. */
const strangeNoticeUrls: ClientRule = ({ deletionUrl, backchannelUrl, sources = [], returns = [] }) => {
  const own = returns.map((address) => new URL(address).origin)
  return [
    ...noticeFaults('deletionUrl', deletionUrl, [...sources, ...own]),
    ...noticeFaults('backchannelUrl', backchannelUrl, own),
  ]
}

function noticeFaults(field: string, url: string | undefined, own: string[]): ConfigFault[] {
  if (url === undefined) return []
  const { origin } = new URL(url)
  if (!origin.startsWith('https://') && !ownMachine.test(origin))
    return [fault('须以 https:// 开头，本机地址除外', field)]
  return own.includes(origin) ? [] : [fault('须与该应用自己的返回地址（returns）同源', field)]
}

const ofEach =
  (rule: ClientRule) =>
  ({ clients = [] }: SiteConfig): ConfigFault[] =>
    clients.flatMap((client, index) =>
      rule(client).map(({ path, message }) => ({ path: ['clients', index, ...path], message })),
    )

/**
 * An address belongs to one client, or a ticket's owner would be ambiguous. Clients of OpenID Connect are named by each
 * request, so they may share one; it gets no tickets then.
 */
const ownedOnce =
  (list: 'sources' | 'returns', what: string) =>
  ({ clients = [] }: SiteConfig): ConfigFault[] => {
    const owners = new Map<string, number>()
    return clients.flatMap((client, index) =>
      (client[list] ?? []).flatMap((address, at) => {
        const owner = owners.get(address) ?? index
        owners.set(address, owner)
        const shared = list === 'returns' && client.kind && clients[owner]?.kind
        if (owner === index || shared) return []
        return [fault(`该${what}已属于应用「${clients[owner]?.name}」`, 'clients', index, list, at)]
      }),
    )
  }

export const clientRules: ((config: SiteConfig) => ConfigFault[])[] = [
  ofEach(weakSecrets),
  ownedOnce('sources', '来源地址'),
  ownedOnce('returns', '地址'),
  ...[strangeNoticeUrls, uselessFields, withoutReturns, oddIds, strangeAddresses].map(ofEach),
  ...[manyHosts, scopesTwice, scopesOfKind, wrongKeys].map(ofEach),
]
