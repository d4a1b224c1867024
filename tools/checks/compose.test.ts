import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../apps/server/src/platform/config/config.ts'
import { newKey } from '../../apps/server/src/platform/crypto/secrets.ts'
import { imageOf, instructionsIn, project, readDockerfile } from '../release/dockerfile.ts'
import { manifestOf } from '../release/packages.ts'
import { composeFaults, readCompose, unknownFields } from './compose.ts'

const folder = join(project, 'deploy')
const text = readFileSync(join(folder, 'compose.yaml'), 'utf8')
const facts = { folder, version: manifestOf(join(project, 'apps/server')).version, stopping: 10 }
const variables = {
  POSTGRES_PASSWORD: 'secret',
  REDIS_PASSWORD: 'secret',
  HUFU_KEYS: newKey(),
  HUFU_DOMAIN: 'id.example.com',
}
const compose = readCompose(text, variables)
const image = imageOf(readDockerfile())

function changed(from: string | RegExp, to: string) {
  const after = text.replace(from, to)
  expect(after).not.toBe(text)
  return readCompose(after, variables)
}

describe('deploy/compose.yaml', () => {
  test('has no field that is not known, and fits itself and the product', () => {
    expect(unknownFields(compose)).toEqual([])
    expect(composeFaults(compose, facts)).toEqual([])
  })

  test('asks for every secret, and its first lines name them all', () => {
    for (const name of Object.keys(variables)) {
      expect(() => readCompose(text, { ...variables, [name]: undefined as unknown as string })).toThrow(name)
      expect(text.slice(0, text.indexOf('name: hufu'))).toContain(name)
    }
  })

  test.each([
    ['read_only: true\n  tmpfs', 'readonly: true\n  tmpfs', "api: readonly isn't known"],
    ['command: [migrate]\n    restart: ', 'command: [migrate]\n    restrt: ', "migrate: restrt isn't known"],
    ['interval: 5s }', 'intervall: 5s }', "postgres.healthcheck: intervall isn't known"],
  ])('%s as %s is found', (from, to, fault) => {
    expect(unknownFields(changed(from, to))).toContain(fault)
  })

  test.each([
    ['image: hufu:', 'image: hufu:9', 'api runs hufu:9'],
    ['read_only: true\n  tmpfs', 'read_only: false\n  tmpfs', 'work may write'],
    ['cap_drop: [ALL]', 'cap_drop: []', 'api has rights'],
    ['command: [work]', 'command: [worker]', 'work runs no command'],
    ['network_mode: none', 'network_mode: bridge', 'draw has a network'],
    ["user: '1001:1001'", "user: '1000:1000'", 'draw is the user of the others'],
    ['environment: { HUFU_PICTURES: /run/hufu-draw/socket }', '', 'draw gets HUFU_DATABASE_URL'],
    ['stop_grace_period: 15s', 'stop_grace_period: 5s', 'api is killed while it stops'],
    [/healthcheck:\n {6}test: \[CMD, redis-cli.*\n {6}interval: 5s\n/, '', 'api waits for redis to be healthy'],
    ["    restart: 'no'\n", '', 'api waits for migrate, which never ends'],
    ['depends_on: [api]', 'depends_on: [web]', 'proxy waits for web, which there is not'],
    ['./caddy/Caddyfile', './caddy/caddyfile', 'proxy: no ./caddy/caddyfile'],
    ['volumes: { postgres: {}, ', 'volumes: { ', 'postgres: no postgres'],
    ['dockerfile: postgres.Dockerfile', 'dockerfile: pg.Dockerfile', 'postgres: no pg.Dockerfile'],
    ['subnet: 172.28.0.0/24', 'subnet: 172.29.0.0/24', 'api trusts another network'],
    ['networks: [front]', 'networks: [front, stores]', 'proxy is reached from outside and meets redis'],
    ['networks: [front]', 'networks: [back]', 'proxy is in back, which there is not'],
    ['stores: { internal: true }', 'stores: {}', 'postgres has a way out'],
  ])('%s as %s is found', (from, to, fault) => {
    expect(composeFaults(changed(from, to), facts).join('\n')).toContain(fault)
  })

  test('the server starts with its environment, and Redis keeps what it was given', () => {
    const config = readConfig({ ...image.environment, ...compose.services.api?.environment })
    expect([config.host, config.port, config.insecureHttp]).toEqual(['0.0.0.0', 8080, false])
    expect(config.pictures).toEqual({ path: compose.services.draw?.environment?.HUFU_PICTURES })
    const command = compose.services.redis?.command ?? []
    expect(command[command.indexOf('--maxmemory-policy') + 1]).toBe('noeviction')
  })

  test('D109 Redis has one user with a password, and the server speaks as that user', () => {
    const command = compose.services.redis?.command?.join(' ') ?? ''
    expect(command).toContain('--user default off --user hufu on >secret ')
    expect(compose.services.api?.environment?.HUFU_REDIS_URL).toBe('redis://hufu:secret@redis:6379')
    expect(compose.services.api?.environment).not.toHaveProperty('HUFU_REDIS_WITHOUT_PASSWORD')
  })

  test('the proxy leads to the port on which the image listens', () => {
    const caddy = readFileSync(join(folder, 'caddy/Caddyfile'), 'utf8')
    expect(caddy).toContain(`dynamic a api ${image.environment.HUFU_PORT} {`)
    expect(compose.services.api?.command).toEqual(['serve'])
  })

  test('a worker is probed on its metrics port', () => {
    const { environment, healthcheck } = compose.services.work ?? {}
    expect(healthcheck?.test?.join(' ')).toContain(`http://127.0.0.1:${environment?.HUFU_METRICS_PORT}/healthz`)
  })
})

describe('deploy/Dockerfile', () => {
  test('runs the release as an unprivileged user, and Kubernetes names that user', () => {
    expect(image).toMatchObject({ user: 'node', entrypoint: ['/opt/hufu/bin/hufu'], command: ['serve'] })
    expect(readDockerfile()).toContainEqual({ name: 'COPY', rest: '--from=build /hufu /opt/hufu' })
    expect(readFileSync(join(folder, 'kubernetes/api.yaml'), 'utf8')).toContain('runAsUser: 1000')
  })

  test('installs with the pnpm that the project names, for every workspace that the lock knows', () => {
    const { packageManager } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
      packageManager: string
    }
    const steps = readDockerfile()
    expect(steps).toContainEqual({ name: 'RUN', rest: `npx -y ${packageManager} install --frozen-lockfile` })
    const importers = readFileSync(join(project, 'pnpm-lock.yaml'), 'utf8').split('\npackages:')[0] ?? ''
    const workspaces = [...importers.matchAll(/^ {2}((?:apps|packages)\/[\w-]+):/gm)].map(([, path]) => path)
    expect(workspaces.length).toBeGreaterThan(2)
    for (const path of workspaces) expect(steps).toContainEqual({ name: 'COPY', rest: `${path}/package.json ${path}/` })
  })

  test('is read as builders read it', () => {
    expect(instructionsIn('# words\nFROM a AS b\nRUN one \\\n  two\n')).toEqual([
      { name: 'FROM', rest: 'a AS b' },
      { name: 'RUN', rest: 'one two' },
    ])
    expect(() => instructionsIn('from a')).toThrow('not understood')
  })
})
