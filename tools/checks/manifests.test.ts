import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../apps/server/src/platform/config/config.ts'
import { newKey } from '../../apps/server/src/platform/crypto/secrets.ts'
import { manifestOf } from '../release/packages.ts'
import { schemaFaults } from './manifest-schemas.ts'
import { disagreements, type Facts, readManifests, resourcesIn, settingsIn } from './manifests.ts'

const server = join(import.meta.dirname, '../../apps/server')
const files = readManifests()
const settings = files.get('settings.yaml') ?? ''
const secrets = [...settings.matchAll(/^# {3}(HUFU_\w+)/gm)].map(([, name = '']) => name)
const probed = readFileSync(join(server, 'src/http/health.ts'), 'utf8')
const facts: Facts = {
  version: manifestOf(server).version,
  paths: [...probed.matchAll(/app\.get\('([^']+)'/g)].map(([, path = '']) => path),
  secrets: [...settings.matchAll(/as the Secret `(\w+)`/g)].map(([, name = '']) => name),
  stopping: 10,
}

const resources = [...files.values()].flatMap(resourcesIn)

/** The same with one thing changed, in one file. */
function changed(name: string, from: string | RegExp, to: string) {
  const before = files.get(name) ?? ''
  const after = before.replace(from, to)
  expect(after).not.toBe(before)
  return [...files].flatMap(([each, text]) => resourcesIn(each === name ? after : text))
}

describe('manifests of Kubernetes', () => {
  test('hold to the schemas of Kubernetes, without a field that it does not know', () => {
    expect(resources.flatMap(schemaFaults)).toEqual([])
    expect(resources).toHaveLength(13)
  })

  test.each([
    [
      'api.yaml',
      'periodSeconds: 1\n',
      'periodSecond: 1\n',
      '/spec/template/spec/containers/0/startupProbe/periodSecond',
    ],
    ['api.yaml', 'readOnlyRootFilesystem', 'readOnlyRootFileSystem', '/securityContext/readOnlyRootFileSystem'],
    ['api.yaml', 'containerPort: 8080', 'containerPort: http', '/ports/0/containerPort type {"type":"integer"}'],
    ['scaling.yaml', 'minReplicas: 2', "minReplicas: '2'", '/spec/minReplicas type'],
    ['migrate.yaml', 'restartPolicy: Never', 'restartPolicies: Never', '/spec/template/spec/restartPolicies'],
    ['network.yaml', 'pathType: Prefix', 'pathTyp: Prefix', 'required {"missingProperty":"pathType"}'],
    ['scaling.yaml', 'autoscaling/v2', 'autoscaling/v2beta2', "isn't known here"],
    ['settings.yaml', "'8080'", '8080', '/data/HUFU_PORT type {"type":"string"}'],
  ])('%s: %s as %s is refused', (name, from, to, fault) => {
    expect(changed(name, from, to).flatMap(schemaFaults).join('\n')).toContain(fault)
  })

  test('fit each other and the product', () => {
    expect(facts.paths).toEqual(['/healthz', '/readyz'])
    expect(facts.secrets).toEqual(['hufu'])
    expect(disagreements(resources, facts)).toEqual([])
  })

  test.each([
    [
      'api.yaml',
      /component: api }\n {6}annotations/,
      'component: web }\n      annotations',
      "hufu-api doesn't choose itself",
    ],
    ['api.yaml', 'targetPort: http', 'targetPort: https', 'hufu-api has no port https'],
    ['api.yaml', 'path: /healthz', 'path: /health', 'hufu-api is asked for /health at http'],
    ['work.yaml', 'port: metrics }', 'port: http }', 'hufu-work is asked for /healthz at http'],
    ['api.yaml', 'configMapRef: { name: hufu }', 'configMapRef: { name: other }', 'there are no settings other'],
    ['work.yaml', 'secretRef: { name: hufu }', 'secretRef: { name: other }', 'no manifest creates the secret other'],
    ['migrate.yaml', 'image: hufu:', 'image: hufu:9', 'runs hufu:9'],
    ['migrate.yaml', 'name: hufu-migrate-', 'name: hufu-migrate-9', "isn't the job of"],
    ['api.yaml', 'args: [serve]', 'args: [server]', 'hufu-api runs no command'],
    ['settings.yaml', "HUFU_PORT: '8080'", "HUFU_PORT: '8081'", 'port http is 8080'],
    ['network.yaml', 'port: 9400', 'port: 9401', 'no rule opens port metrics'],
    ['network.yaml', 'to: [{ ipBlock: { cidr: 10.20.0.0/24 } }]', 'to: []', 'policy hufu names no destination'],
    ['network.yaml', /matchLabels: { app.kubernetes.io\/name: hufu }/, 'matchLabels: { a: b }', 'chooses no pods'],
    [
      'network.yaml',
      'name: hufu, port: { name: http }',
      'name: hufu, port: { name: web }',
      'the ingress leads to no port',
    ],
    ['draw.yaml', 'runAsUser: 1001', 'runAsUser: 1000', 'hufu-draw is the user of the others'],
    [
      'draw.yaml',
      'enableServiceLinks: false',
      'enableServiceLinks: true',
      'hufu-draw gets addresses of other services',
    ],
    [
      'draw.yaml',
      'args: [draw]',
      'args: [draw]\n          envFrom: [{ secretRef: { name: hufu } }]',
      'hufu-draw gets more',
    ],
    ['network.yaml', 'egress: []', 'egress: [{ ports: [{ port: 443 }] }]', 'hufu-draw has a way out'],
    ['draw.yaml', /name: hufu-draw }\n {4}spec/, 'name: hufu }\n    spec', 'hufu-draw has a way out'],
    ['scaling.yaml', 'kind: Deployment, name: hufu-api', 'kind: Deployment, name: api', 'there is no api to scale'],
    ['scaling.yaml', /component: work/, 'component: worker', 'budget hufu-work chooses no pods'],
    ['work.yaml', 'runAsNonRoot: true', 'runAsNonRoot: false', 'hufu-work may be root'],
    ['migrate.yaml', 'readOnlyRootFilesystem: true', 'readOnlyRootFilesystem: false', 'may write'],
    ['api.yaml', 'drop: [ALL]', 'drop: [NET_RAW]', 'hufu-api may get more rights'],
    ['api.yaml', 'terminationGracePeriodSeconds: 30', 'terminationGracePeriodSeconds: 14', 'is killed while it stops'],
    ['api.yaml', 'volumeMounts: [{ name: tmp', 'volumeMounts: [{ name: temp', 'hufu-api mounts temp, has tmp'],
  ])('%s: %s as %s is found', (name, from, to, fault) => {
    expect(disagreements(changed(name, from, to), facts).join('\n')).toContain(fault)
  })

  test('settings and secrets together are what the server starts with', () => {
    const samples: Record<string, string> = {
      HUFU_DATABASE_URL:
        'postgres://hufu:secret@primary,standby/hufu?sslmode=verify-full&target_session_attrs=read-write',
      HUFU_REDIS_URL: 'rediss+cluster://hufu:secret@a:6379,b:6379,c:6379',
      HUFU_KEYS: newKey(),
    }
    expect(secrets.toSorted()).toEqual(Object.keys(samples).toSorted())
    const config = readConfig({ ...settingsIn(resources), ...samples })
    const clear = { ...samples, HUFU_REDIS_URL: 'redis://hufu:secret@a:6379' }
    expect(() => readConfig({ ...settingsIn(resources), ...clear })).toThrow('HUFU_REQUIRE_TLS=1')
    expect([config.host, config.metricsHost, config.insecureHttp]).toEqual(['0.0.0.0', '0.0.0.0', false])
  })
})
