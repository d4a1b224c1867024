import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

interface Healthcheck {
  test?: string[]
  disable?: boolean
}

interface Build {
  context: string
  dockerfile: string
}

interface Service {
  image?: string
  build?: Build
  command?: string[]
  restart?: string
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  environment?: Record<string, string>
  healthcheck?: Healthcheck
  depends_on?: string[] | Record<string, { condition: string }>
  volumes?: string[]
  ports?: string[]
  stop_grace_period?: string
  user?: string
  network_mode?: string
  networks?: string[]
}

interface Network {
  internal?: boolean
  ipam?: { config: { subnet: string }[] }
}

export interface Compose {
  services: Record<string, Service>
  volumes?: Record<string, object>
  networks: Record<string, Network>
}

/** Fields of the Compose Specification that are used here: another one is a typing error until it is added. */
const known = {
  file: ['name', 'services', 'volumes', 'networks'],
  service: [
    ...['build', 'image', 'command', 'environment', 'restart', 'depends_on', 'healthcheck', 'volumes', 'ports'],
    ...[
      'read_only',
      'tmpfs',
      'cap_drop',
      'security_opt',
      'shm_size',
      'deploy',
      'stop_grace_period',
      'user',
      'network_mode',
      'networks',
    ],
  ],
  build: ['context', 'dockerfile'],
  healthcheck: ['test', 'interval', 'disable'],
}

const strange = (where: string, value: object | undefined, fields: string[]): string[] =>
  Object.keys(value ?? {})
    .filter((field) => !fields.includes(field) && !field.startsWith('x-'))
    .map((field) => `${where}: ${field} isn't known`)

/** With its variables filled in; one that isn't given fails, as `${NAME:?}` does. */
export function readCompose(text: string, variables: Record<string, string>): Compose {
  const filled = text.replaceAll(/\$\{(\w+)(:\?)?\}/g, (_, name: string, must?: string) => {
    const value = variables[name]
    if (value === undefined || !must) throw new Error(`${name} isn't given, or has no :?`)
    return value
  })
  return parse(filled, { merge: true }) as Compose
}

export function unknownFields(compose: Compose): string[] {
  const services = Object.entries(compose.services).flatMap(([name, service]) => [
    ...strange(name, service, known.service),
    ...strange(`${name}.build`, service.build, known.build),
    ...strange(`${name}.healthcheck`, service.healthcheck, known.healthcheck),
  ])
  return [...strange('compose.yaml', compose, known.file), ...services]
}

export interface Facts {
  /** Where compose.yaml is. */
  folder: string
  version: string
  stopping: number
}

const isOurs = ({ build }: Service): boolean => build?.dockerfile === 'deploy/Dockerfile'

function fileFaults(name: string, { build, volumes = [] }: Service, compose: Compose, folder: string): string[] {
  const faults: string[] = []
  if (build && !existsSync(join(folder, build.context, build.dockerfile)))
    faults.push(`${name}: no ${build.dockerfile}`)
  for (const volume of volumes) {
    const [source = ''] = volume.split(':')
    const there = source.startsWith('.') ? existsSync(join(folder, source)) : source in (compose.volumes ?? {})
    if (!there) faults.push(`${name}: no ${source}`)
  }
  return faults
}

/** A service that waits for another must be able to see when it is ready. */
function waitFaults(name: string, { depends_on = {} }: Service, { services }: Compose): string[] {
  const waits = Array.isArray(depends_on) ? depends_on.map((one) => [one, ''] as const) : Object.entries(depends_on)
  return waits.flatMap(([other, how]) => {
    const service = services[other]
    const condition = typeof how === 'string' ? 'service_started' : how.condition
    if (!service) return `${name} waits for ${other}, which there is not`
    const seen = service.healthcheck?.test !== undefined || (isOurs(service) && !service.healthcheck?.disable)
    if (condition === 'service_healthy' && !seen)
      return `${name} waits for ${other} to be healthy, but it has no health check`
    const ends = service.restart === 'no'
    if (condition === 'service_completed_successfully' && !ends) return `${name} waits for ${other}, which never ends`
    return []
  })
}

function ownFaults(name: string, service: Service, { version, stopping }: Facts): string[] {
  const { image, command, read_only, cap_drop, security_opt, stop_grace_period, ports } = service
  const held = {
    [`runs ${image}, not ${version}`]: image === `hufu:${version}`,
    [`runs no command: ${command}`]: ['serve', 'work', 'migrate', 'draw'].includes(command?.join(' ') ?? ''),
    'may write': read_only === true,
    'has rights': cap_drop?.includes('ALL') && security_opt?.includes('no-new-privileges:true'),
    'is reached past the proxy': ports === undefined,
    'is killed while it stops': command?.[0] === 'migrate' || Number.parseInt(stop_grace_period ?? '0', 10) >= stopping,
  }
  return Object.entries(held).flatMap(([words, holds]) => (holds ? [] : `${name} ${words}`))
}

const isDrawer = ({ command }: Service): boolean => command?.[0] === 'draw'

/** The decoder has no key, no network and its own system user. */
function drawerFaults(name: string, { environment = {}, network_mode, user }: Service): string[] {
  const held = {
    'has a network': network_mode === 'none',
    'is the user of the others': user !== undefined && !/^(0|1000|node|root)(:|$)/.test(user),
    [`gets ${Object.keys(environment)}`]: Object.keys(environment).join() === 'HUFU_PICTURES',
  }
  return Object.entries(held).flatMap(([words, holds]) => (holds ? [] : `${name} ${words}`))
}

const networksOf = ({ network_mode, networks = network_mode ? [] : ['default'] }: Service): string[] => networks

/** Public services and stores share no network, and the network of the stores has no way out. */
function networkFaults({ services, networks }: Compose): string[] {
  const faults: string[] = []
  const stores = Object.entries(services).filter(([name]) => ['postgres', 'redis'].includes(name))
  for (const [name, service] of Object.entries(services)) {
    const unknown = networksOf(service).filter((one) => !(one in networks))
    faults.push(...unknown.map((one) => `${name} is in ${one}, which there is not`))
    const beside = stores.filter(([, store]) => networksOf(store).some((one) => networksOf(service).includes(one)))
    if (service.ports) faults.push(...beside.map(([store]) => `${name} is reached from outside and meets ${store}`))
  }
  for (const [name, store] of stores)
    if (!networksOf(store).every((one) => networks[one]?.internal)) faults.push(`${name} has a way out`)
  return faults
}

/** The networks that a service shares with public services. */
function proxyNetworks(compose: Compose, service: Service): (string | undefined)[] {
  const proxies = Object.values(compose.services).filter(({ ports }) => ports)
  const shared = networksOf(service).filter((one) => proxies.some((proxy) => networksOf(proxy).includes(one)))
  return shared.map((one) => compose.networks[one]?.ipam?.config[0]?.subnet)
}

/** Faults of the file: inconsistent in itself or with the product. */
export function composeFaults(compose: Compose, facts: Facts): string[] {
  const faults = Object.entries(compose.services).flatMap(([name, service]) => [
    ...fileFaults(name, service, compose, facts.folder),
    ...waitFaults(name, service, compose),
    ...(isOurs(service) ? ownFaults(name, service, facts) : []),
    ...(isDrawer(service) ? drawerFaults(name, service) : []),
  ])
  const trusting = Object.entries(compose.services).filter(([, service]) => isOurs(service) && !isDrawer(service))
  const others = trusting.filter(([, service]) =>
    proxyNetworks(compose, service).some((subnet) => subnet !== service.environment?.HUFU_TRUSTED_PROXIES),
  )
  const trusts = others.map(([name]) => `${name} trusts another network than its own`)
  return [...faults, ...networkFaults(compose), ...trusts]
}
