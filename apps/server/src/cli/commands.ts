import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { countPasskeys, resetByCommandLine } from '../features/factors/reset-factors.service.ts'
import { rotateFactors } from '../features/factors/rotate-factors.service.ts'
import { resealKeys, rotateSigningKeys, sitesWithKeys } from '../features/oidc/keys.ts'
import { readSealed, rotateSealed } from '../features/personal-data/sealed.service.ts'
import { requireFaultless } from '../features/site/config-check.ts'
import { requireNewClients } from '../features/site/former-clients.ts'
import {
  allSites,
  changeSite,
  createSite,
  findSite,
  readConfig,
  rotateKeys,
  saveConfig,
} from '../features/site/site.service.ts'
import { changeStatus, createUser, findByMobile, grant } from '../features/users/users.service.ts'
import { type Config, shellName } from '../platform/config/config.ts'
import { isUuid, type SiteId, type UserId } from '../platform/ids.ts'
import { connectDatabase } from '../platform/postgres/db.ts'
import { connectRedis, redisReady } from '../platform/redis/client.ts'
import { followedWithin } from '../shared/sites/sites.ts'
import type { Options } from './cli.ts'
import { clientCommands } from './client-commands.ts'
import { type Command, type Needs, type Print, required } from './command.ts'
import { userFileCommands } from './user-file-commands.ts'
import { webhookCommands } from './webhook-commands.ts'

const nameShape = /^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,63}$/u

/** The name in the operator log: the one that is given, or the operating system's user. */
function operatorOf({ by }: Options): string {
  if (by !== undefined && !nameShape.test(by))
    throw new Error('--by is the name of the operator who runs this: letters, digits and . _ @ + -')
  return `cli:${
    by ??
    machineName()
      .replace(/[^\p{L}\p{N}._@+-]/gu, '-')
      .slice(0, 64)
  }`
}

/** A container may run under a uid without a name. */
function machineName(): string {
  try {
    return shellName() ?? userInfo().username
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`
  }
}
const readJson = (file: string): unknown => JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'))

const here = /^http:\/\/(([^/:]+\.)?localhost|127\.0\.0\.1)(:|$)/

/** Browsers store our cookies under https only, or on localhost. */
function encrypted({ config }: Needs, origin: string): string {
  const plain = origin.startsWith('http:') && !here.test(origin)
  if (plain && !config.insecureHttp)
    throw new Error(`--origin ${origin} is plain HTTP, which browsers can't sign in with; use https`)
  return origin
}

/** What operators do from the command line, once the arguments are read. */
const commands = (
  options: Options,
  operator: string,
  print: Print,
  untilFollowed: () => Promise<void>,
): Record<string, Command> => ({
  ...clientCommands(options, operator, print, untilFollowed),
  ...userFileCommands(options, operator, print),
  ...webhookCommands(options, operator, print, untilFollowed),
  async 'site create'(deps) {
    const config = options.config ? readJson(options.config) : {}
    requireNewClients(requireFaultless(config))
    print(
      await createSite(
        deps,
        { origin: encrypted(deps, required(options.origin, '--origin')), hosts: options.host ?? [], config },
        operator,
      ),
    )
  },
  async 'site list'(deps) {
    for (const site of await allSites(deps))
      print(`${site.id}  ${site.status}  ${site.origin}  ${site.hosts.join(' ')}`)
  },
  async 'site set'(deps, [site]) {
    const { status } = options
    if (status !== undefined && status !== 'active' && status !== 'disabled')
      throw new Error('--status is active or disabled')
    const siteId = await findSite(deps, required(site, 'SITE'))
    const origin = options.origin && encrypted(deps, options.origin)
    const orphaned = origin ? await orphanedPasskeys(deps, siteId, origin) : 0
    await changeSite(deps, siteId, { origin, hosts: options.host, status }, operator)
    if (orphaned > 0)
      console.error(
        `${orphaned} passkeys belong to the former host: browsers no longer offer them. Their owners sign in by another factor or a recovery code and add new ones.`,
      )
  },
  async 'config get'(deps, [site]) {
    const { config } = await readConfig(deps, await findSite(deps, required(site, 'SITE')))
    print(config)
  },
  async 'config set'(deps, [site, file]) {
    const siteId = await findSite(deps, required(site, 'SITE'))
    const basedOn = options['based-on'] ? Number(options['based-on']) : (await readConfig(deps, siteId)).version
    const version = await saveConfig(deps, siteId, { config: readJson(required(file, 'FILE')), basedOn }, operator)
    print(`saved as version ${version}`)
  },
  async 'user create'(deps) {
    const { prefix, mobile, email, username, nickname } = options
    // Not an argument: every user of the machine can read those.
    const password = options['password-stdin'] ? readFileSync(0, 'utf8').replace(/\r?\n$/, '') : undefined
    const siteId = await findSite(deps, required(options.site, '--site'))
    print(
      await createUser(deps, siteId, { mobilePrefix: prefix, mobile, email, username, nickname, password }, operator),
    )
  },
  'user disable': (deps) => setUserStatus(deps, options, 'disabled', operator),
  'user enable': (deps) => setUserStatus(deps, options, 'active', operator),
  async grant(deps, [area, actions]) {
    const { siteId, userId } = await findUserOf(deps, options)
    await grant(deps, siteId, userId, required(area, 'AREA'), required(actions, 'ACTION').split(','), operator)
  },
  async 'factor reset'(deps) {
    required(options.by, '--by')
    const reason = required(options.reason, '--reason')
    const { siteId, userId } = await findUserOf(deps, options)
    const { enrolment, expires } = await resetByCommandLine(deps, siteId, userId, { operator, reason })
    print(`${enrolment}  valid until ${new Date(expires).toISOString()}, for setting up the second factor again`)
  },
  async 'keys rotate'(deps) {
    if (options.signing) return await rotateSigning(deps, options, operator, print)
    const configs = await rotateKeys(deps)
    const records = (await rotateSealed(deps)) + (await rotateFactors(deps)) + (await resealKeys(deps))
    print(`${configs} configs and ${records} sealed records re-sealed`)
  },
  async 'sealed read'(deps) {
    const siteId = await findSite(deps, required(options.site, '--site'))
    const userId = wholeId(required(options.user, '--user'))
    const reason = required(options.reason, '--reason')
    const signIns = await readSealed(deps, siteId, userId, { operator, reason })
    if (signIns.length === 0) console.error('nothing is kept of this account')
    for (const signIn of signIns) print(JSON.stringify(signIn))
  },
})

/** A site that refuses doesn't keep the others from theirs. */
async function rotateSigning(deps: Needs, { site }: Options, operator: string, print: Print): Promise<void> {
  const sites = site === undefined ? await sitesWithKeys(deps) : [await findSite(deps, site)]
  const refusals: string[] = []
  for (const siteId of sites)
    await rotateSigningKeys(deps, siteId, operator).catch((error: Error) => void refusals.push(error.message))
  print(`the signing keys of ${sites.length - refusals.length} sites were rotated`)
  if (refusals.length > 0) throw new Error(refusals.join('\n'))
}

async function setUserStatus(
  deps: Needs,
  options: Options,
  status: 'active' | 'disabled',
  operator: string,
): Promise<void> {
  const { siteId, userId } = await findUserOf(deps, options)
  await changeStatus(deps, siteId, userId, status, operator)
}

/** The account that --mobile or --user names. */
async function findUserOf(deps: Needs, options: Options) {
  const siteId = await findSite(deps, required(options.site, '--site'))
  if (options.user !== undefined) return { siteId, userId: wholeId(options.user) }
  const mobile = required(options.mobile, '--mobile')
  return { siteId, userId: await findByMobile(deps, siteId, options.prefix ?? '86', mobile) }
}

function wholeId(typed: string): UserId {
  const id = typed.toLowerCase()
  if (!isUuid(id)) throw new Error('--user is the whole id of the account')
  return id as UserId
}

/** How many passkeys a new address would make useless: they belong to the host that they were made for. */
async function orphanedPasskeys(deps: Needs, siteId: SiteId, origin: string): Promise<number> {
  const former = (await allSites(deps)).find(({ id }) => id === siteId)?.origin
  if (!former || new URL(former).hostname === new URL(origin).hostname) return 0
  return await countPasskeys(deps, siteId, new URL(former).hostname)
}

/** Runs the command that the arguments name; false where there is none. */
export async function runCommand(
  config: Config,
  options: Options,
  words: string[],
  print: Print,
  untilFollowed = () => sleep(followedWithin),
): Promise<boolean> {
  const known = commands(options, operatorOf(options), print, untilFollowed)
  const length = [2, 1].find((count) => words.slice(0, count).join(' ') in known)
  const command = length && known[words.slice(0, length).join(' ')]
  if (!command) return false
  // The command line has no callers to protect: it waits where a call would be refused.
  const { db } = connectDatabase({ ...config, loadShedding: false }, () => {})
  const cache = connectRedis(config.redisCacheUrl, { timeoutMs: 1_000 }, () => {})
  await redisReady(cache).catch(() =>
    console.error('Redis is unreachable: running processes notice the change within 30 s'),
  )
  await command({ db, config, cache }, words.slice(length)).finally(() => {
    cache.disconnect()
    return db.destroy()
  })
  return true
}
