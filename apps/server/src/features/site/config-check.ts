import type { ConfigFault } from '@hufu/contract/merchant-config'
import type { SiteConfig } from '@hufu/contract/site'
import { AppError } from '../../platform/app-error.ts'
import { clientRules } from './client-check.ts'
import { configSchema } from './config-schema.ts'
import { secretSpots } from './config-secrets.ts'
import { configSentence, flatIssues } from './config-sentences.ts'
import { webhookRules } from './webhook-check.ts'

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
  const rules = [secretsTwice, misnamedSecrets, ...clientRules, ...webhookRules]
  return onePerPosition(rules.flatMap((rule) => rule(parsed.data))).slice(0, most)
}

/** A holder of two secrets would be blamed twice for the same thing. */
function onePerPosition(faults: ConfigFault[]): ConfigFault[] {
  return [...Map.groupBy(faults, ({ path }) => path.join('\n')).values()].flatMap(([first]) => first ?? [])
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
