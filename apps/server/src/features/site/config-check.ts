import type { ConfigFault } from '@hufu/contract/merchant-config'
import type { SiteConfig } from '@hufu/contract/site'
import { AppError } from '../../platform/app-error.ts'
import { configSchema } from './config-schema.ts'
import { mask, secretSpots } from './config-secrets.ts'
import { configSentence, flatIssues } from './config-sentences.ts'

/** The longest useful list of faults. */
const most = 100
/** Deeper than any hand-written config, and far from a stack overflow. */
const deepest = 50

/** All faults of a config; unknown keys are fine. */
export function faultsOf(config: unknown): ConfigFault[] {
  const shape = [...badParts(config, [])]
  if (shape.length > 0) return shape.slice(0, most)
  const parsed = configSchema.safeParse(config, { error: configSentence })
  if (!parsed.success) return parsed.error.issues.flatMap((issue) => flatIssues(issue)).slice(0, most)
  const rules = [secretsTwice, misnamedSecrets, shortSecrets, sourcesTwice, returnsTwice, strangeDeletionUrls]
  return rules.flatMap((rule) => rule(parsed.data)).slice(0, most)
}

/** Refuses a known section of the wrong shape and names its position; unknown keys pass untouched. */
export function requireFaultless(config: unknown): SiteConfig {
  const [fault] = faultsOf(config)
  if (fault) throw new AppError('INPUT_INVALID', { field: fault.path.join('.'), reason: fault.message })
  return config as SiteConfig
}

/**
 * Keys that would reach a prototype when a config is copied carelessly, lone surrogates, which PostgreSQL's JSON
 * refuses, and excessive depth.
 */
function* badParts(value: unknown, path: ConfigFault['path']): Generator<ConfigFault> {
  if (typeof value === 'string' && !value.isWellFormed()) yield { path, message: '含有不能使用的字符' }
  if (typeof value !== 'object' || value === null) return
  if (path.length >= deepest) return yield { path, message: `最多嵌套 ${deepest} 层` }
  const isList = Array.isArray(value)
  for (const [key, inner] of Object.entries(value)) {
    if (key === '__proto__' || !key.isWellFormed()) yield { path: [...path, key], message: '不支持的键名' }
    else yield* badParts(inner, [...path, isList ? Number(key) : key])
  }
}

/** Two of one name: a secret would belong to both. */
function secretsTwice(config: SiteConfig): ConfigFault[] {
  const seen = new Set<string>()
  return secretSpots(config).flatMap(({ path, position }) => {
    if (seen.has(path)) return [{ path: position, message: '编号重复，每一项须有自己的编号' }]
    seen.add(path)
    return []
  })
}

const looksSecret = /secret|password|passwd|private_?key|access_?key$/i

/** A secret under an unknown key beside the real one would be stored and shown unencrypted. */
function misnamedSecrets(config: SiteConfig): ConfigFault[] {
  const spots = secretSpots(config)
  const isSpot = (holder: object, name: string) => spots.some((spot) => spot.holder === holder && spot.key === name)
  return spots.flatMap(({ holder, key, position }) =>
    Object.keys(holder)
      .filter((name) => looksSecret.test(name) && !isSpot(holder, name))
      .map((name) => ({
        path: [...position.slice(0, -1), name],
        message: `密钥请写在「${key}」中，其他名称不会加密保存`,
      })),
  )
}

const leastSecret = 16

/** Client secrets can be guessed over the network, so new ones have a minimum length. A kept one stays valid. */
function shortSecrets({ clients = [] }: SiteConfig): ConfigFault[] {
  return clients.flatMap(({ secret }, index) =>
    secret === undefined || secret === mask || secret.length >= leastSecret
      ? []
      : [{ path: ['clients', index, 'secret'], message: `不能少于 ${leastSecret} 个字符` }],
  )
}

/** An origin belongs to one client, or a ticket's owner would be ambiguous. */
function sourcesTwice({ clients = [] }: SiteConfig): ConfigFault[] {
  const owners = new Map<string, number>()
  return clients.flatMap(({ sources = [] }, index) =>
    sources.flatMap((source, at) => {
      const owner = owners.get(source) ?? index
      owners.set(source, owner)
      if (owner === index) return []
      return [{ path: ['clients', index, 'sources', at], message: `该来源地址已属于应用「${clients[owner]?.name}」` }]
    }),
  )
}

/** So does a whole address. */
function returnsTwice({ clients = [] }: SiteConfig): ConfigFault[] {
  const owners = new Map<string, number>()
  return clients.flatMap(({ returns = [] }, index) =>
    returns.flatMap((address, at) => {
      const owner = owners.get(address) ?? index
      owners.set(address, owner)
      if (owner === index) return []
      return [{ path: ['clients', index, 'returns', at], message: `该地址已属于应用「${clients[owner]?.name}」` }]
    }),
  )
}

/** Origins that no client of this id had before: only those of the first version are still accepted. */
export function looseFaults(former: SiteConfig, { clients = [] }: SiteConfig): ConfigFault[] {
  return clients.flatMap(({ id, sources = [] }, index) => {
    const had = former.clients?.find((client) => client.id === id)?.sources ?? []
    return sources.flatMap((source, at) =>
      had.includes(source)
        ? []
        : [
            {
              path: ['clients', index, 'sources', at],
              message: '不再接受新的来源地址，请在 returns 中填写完整的返回地址，并让应用使用 PKCE',
            },
          ],
    )
  })
}

export function requireExactClients(former: SiteConfig, next: SiteConfig): void {
  const [fault] = looseFaults(former, next)
  if (fault) throw new AppError('INPUT_INVALID', { field: fault.path.join('.'), reason: fault.message })
}

const ownMachine = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** Erasures are reported to the client itself, encrypted. */
function strangeDeletionUrls({ clients = [] }: SiteConfig): ConfigFault[] {
  return clients.flatMap(({ deletionUrl, sources = [], returns = [] }, index) => {
    if (deletionUrl === undefined) return []
    const { origin } = new URL(deletionUrl)
    const path = ['clients', index, 'deletionUrl']
    if (!origin.startsWith('https://') && !ownMachine.test(origin))
      return [{ path, message: '须以 https:// 开头，本机地址除外' }]
    const own = [...sources, ...returns.map((address) => new URL(address).origin)]
    return own.includes(origin) ? [] : [{ path, message: '须与该应用自己的返回地址（returns）同源' }]
  })
}
