#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { AppError } from './core/app-error.ts'
import { readConfig as readEnvironment } from './core/config.ts'
import { connectDatabase } from './core/db.ts'
import type { Deps } from './core/deps.ts'
import { isUuid, type UserId } from './core/ids.ts'
import { migrate } from './core/migrate.ts'
import { connectRedis, redisReady } from './core/redis.ts'
import { readSealed, rotateSealed } from './features/personal-data/sealed.service.ts'
import {
  allSites,
  changeSite,
  createSite,
  findSite,
  readConfig,
  rotateKeys,
  saveConfig,
} from './features/site/site.service.ts'
import { changeStatus, createUser, findByMobile, grant } from './features/users/users.service.ts'
import { serveProduct } from './main.ts'
import { workProduct } from './worker.ts'

const usage = `hufu serve                                        answer calls and serve pages
hufu work                                         run background jobs
hufu migrate                                      bring the database up to this version
hufu site create --origin https://id.example.com [--host other.example.com] [--config FILE]
hufu site list
hufu site set SITE [--origin …] [--host …] [--status active|disabled]
hufu config get SITE                              secrets are shown as ********
hufu config set SITE FILE [--based-on VERSION]    - reads standard input
hufu user create --site SITE [--mobile 13800138000] [--prefix 86] [--email …] [--username …] [--nickname …] [--password-stdin]
hufu user disable|enable --site SITE --mobile …
hufu grant --site SITE --mobile … AREA ACTION[,ACTION]     e.g. MERCHANT READ,WRITE,ADMIN
hufu keys rotate                                  seal every secret under the first key of HUFU_KEYS
hufu sealed read --site SITE --user ID --reason "…"         who signed in, of an account that was erased; recorded

SITE is an id, an origin or a host.`

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    origin: { type: 'string' },
    host: { type: 'string', multiple: true },
    config: { type: 'string' },
    status: { type: 'string' },
    'based-on': { type: 'string' },
    site: { type: 'string' },
    mobile: { type: 'string' },
    prefix: { type: 'string' },
    email: { type: 'string' },
    username: { type: 'string' },
    nickname: { type: 'string' },
    'password-stdin': { type: 'boolean' },
    user: { type: 'string' },
    reason: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})

const operator = 'cli'
const print = (value: unknown) => console.log(typeof value === 'string' ? value : JSON.stringify(value, null, 2))
const readJson = (file: string): unknown => JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'))
const required = (value: string | undefined, name: string): string => {
  if (!value) throw new Error(`${name} is missing\n\n${usage}`)
  return value
}

type Needs = Pick<Deps, 'db' | 'config' | 'cache'>

const commands: Record<string, (deps: Needs, args: string[]) => Promise<void>> = {
  async 'site create'(deps) {
    const config = options.config ? readJson(options.config) : {}
    print(
      await createSite(
        deps,
        { origin: required(options.origin, '--origin'), hosts: options.host ?? [], config },
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
    await changeSite(deps, siteId, { origin: options.origin, hosts: options.host, status }, operator)
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
    // Not an argument: those can be read by everybody on the machine.
    const password = options['password-stdin'] ? readFileSync(0, 'utf8').replace(/\r?\n$/, '') : undefined
    const siteId = await findSite(deps, required(options.site, '--site'))
    print(
      await createUser(deps, siteId, { mobilePrefix: prefix, mobile, email, username, nickname, password }, operator),
    )
  },
  'user disable': (deps) => setUserStatus(deps, 'disabled'),
  'user enable': (deps) => setUserStatus(deps, 'active'),
  async 'keys rotate'(deps) {
    const configs = await rotateKeys(deps)
    print(`${configs} configs and ${await rotateSealed(deps)} sealed records sealed anew`)
  },
  async 'sealed read'(deps) {
    const siteId = await findSite(deps, required(options.site, '--site'))
    const userId = required(options.user, '--user').toLowerCase()
    if (!isUuid(userId)) throw new Error('--user is the whole id of the account')
    const reason = required(options.reason, '--reason')
    const signIns = await readSealed(deps, siteId, userId as UserId, { operator, reason })
    if (signIns.length === 0) console.error('nothing is kept of this account')
    for (const signIn of signIns) print(JSON.stringify(signIn))
  },
}

async function setUserStatus(deps: Needs, status: 'active' | 'disabled'): Promise<void> {
  const { siteId, userId } = await person(deps)
  await changeStatus(deps, siteId, userId, status, operator)
}

async function person(deps: Needs) {
  const siteId = await findSite(deps, required(options.site, '--site'))
  return {
    siteId,
    userId: await findByMobile(deps, siteId, options.prefix ?? '86', required(options.mobile, '--mobile')),
  }
}

async function grantFromCli(deps: Needs, [area, actions]: string[]): Promise<void> {
  const { siteId, userId } = await person(deps)
  await grant(deps, siteId, userId, required(area, 'AREA'), required(actions, 'ACTION').split(','), operator)
}

async function run(): Promise<void> {
  const [first = '', second = '', ...rest] = positionals
  if (options.help || first === '') return print(usage)
  const config = readEnvironment()
  if (first === 'serve') return await serveProduct(config)
  if (first === 'work') return await workProduct(config)
  if (first === 'migrate') return await migrate(config.databaseUrl, print)
  const command =
    first === 'grant' ? (deps: Needs) => grantFromCli(deps, [second, ...rest]) : commands[`${first} ${second}`]
  if (!command) throw new Error(`unknown command\n\n${usage}`)
  const { db } = connectDatabase(config, () => {})
  const cache = connectRedis(config.redisCacheUrl, { patience: 1_000 }, () => {})
  await redisReady(cache).catch(() => console.error('Redis is away: running processes notice the change within 30 s'))
  await command({ db, config, cache }, rest).finally(() => {
    cache.disconnect()
    return db.destroy()
  })
}

await run().catch((error: Error) => {
  console.error(error instanceof AppError ? `${error.code} ${JSON.stringify(error.details ?? {})}` : error.message)
  process.exitCode = 1
})
