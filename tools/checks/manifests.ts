import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'
import type { IJob } from 'kubernetes-models/batch/v1/Job'
import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1/Ingress'
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap'
import type { IContainer } from 'kubernetes-models/v1/Container'
import type { IPodTemplateSpec } from 'kubernetes-models/v1/PodTemplateSpec'
import type { IService } from 'kubernetes-models/v1/Service'
import { parseAllDocuments } from 'yaml'

const folder = join(import.meta.dirname, '../../deploy/kubernetes')

/** The files of deploy/kubernetes by name. */
export const readManifests = (): Map<string, string> =>
  new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))

export interface Resource {
  apiVersion: string
  kind: string
  metadata: { name: string }
}

export function resourcesIn(text: string): Resource[] {
  return parseAllDocuments(text).map((document) => {
    const [fault] = [...document.errors, ...document.warnings]
    if (fault) throw fault
    return document.toJS() as Resource
  })
}

/** The types of the Kubernetes kinds after validation against their schemas. */
interface Kinds {
  Deployment: IDeployment
  Job: IJob
  Service: IService
  ConfigMap: IConfigMap
  Ingress: IIngress
  NetworkPolicy: INetworkPolicy
  HorizontalPodAutoscaler: IHorizontalPodAutoscaler
  PodDisruptionBudget: IPodDisruptionBudget
}

const all = <Kind extends keyof Kinds>(resources: Resource[], kind: Kind): Kinds[Kind][] =>
  resources.filter((one) => one.kind === kind) as unknown as Kinds[Kind][]

interface Workload {
  name: string
  template: IPodTemplateSpec
  container: IContainer
}

function workloadsIn(resources: Resource[]): Workload[] {
  return [...all(resources, 'Deployment'), ...all(resources, 'Job')].map(({ metadata, spec }) => {
    const [container] = spec?.template.spec?.containers ?? []
    if (!spec || !container) throw new Error(`${metadata?.name} runs nothing`)
    return { name: metadata?.name ?? '', template: spec.template, container }
  })
}

type Labels = Record<string, string> | undefined

/** An empty selector would select everything, which is never intended here. */
const chooses = (selector: Labels, { template }: Workload): boolean =>
  Object.keys(selector ?? {}).length > 0 &&
  Object.entries(selector ?? {}).every(([name, value]) => template.metadata?.labels?.[name] === value)

const portsOf = ({ container }: Workload) =>
  new Map((container.ports ?? []).map((one) => [one.name, one.containerPort]))

/** Names that lead from one resource to another. */
function looseEnds(resources: Resource[], workloads: Workload[]): string[] {
  const faults: string[] = []
  const chosenBy = (who: string, selector: Labels) => {
    const chosen = workloads.filter((one) => chooses(selector, one))
    if (chosen.length === 0) faults.push(`${who} chooses no pods`)
    return chosen
  }
  for (const { metadata, spec } of all(resources, 'Deployment')) {
    const own = workloads.filter(({ name }) => name === metadata?.name)
    const constraints = spec?.template.spec?.topologySpreadConstraints ?? []
    for (const selector of [spec?.selector, ...constraints.map((one) => one.labelSelector)])
      if (!own.every((one) => chooses(selector?.matchLabels, one)))
        faults.push(`${metadata?.name} doesn't choose itself`)
  }
  for (const { metadata, spec } of all(resources, 'Service'))
    for (const workload of chosenBy(`service ${metadata?.name}`, spec?.selector))
      for (const { targetPort } of spec?.ports ?? [])
        if (!portsOf(workload).has(String(targetPort))) faults.push(`${workload.name} has no port ${targetPort}`)
  for (const { metadata, spec } of all(resources, 'PodDisruptionBudget'))
    chosenBy(`budget ${metadata?.name}`, spec?.selector?.matchLabels)
  const kept = all(resources, 'NetworkPolicy').flatMap(({ metadata, spec }) =>
    chosenBy(`policy ${metadata?.name}`, spec?.podSelector?.matchLabels),
  )
  for (const workload of workloads) {
    const count = kept.filter((one) => one === workload).length
    if (count === 0) faults.push(`${workload.name} is left out by every policy`)
    // Network policies only add permissions.
    if (count > 1) faults.push(`${workload.name} is chosen by more than one policy`)
  }
  for (const { spec } of all(resources, 'HorizontalPodAutoscaler'))
    if (!all(resources, 'Deployment').some(({ metadata }) => metadata?.name === spec?.scaleTargetRef.name))
      faults.push(`there is no ${spec?.scaleTargetRef.name} to scale`)
  for (const { spec } of all(resources, 'Ingress'))
    for (const { backend } of (spec?.rules ?? []).flatMap((rule) => rule.http?.paths ?? [])) {
      const service = all(resources, 'Service').find(({ metadata }) => metadata?.name === backend.service?.name)
      if (!service?.spec?.ports?.some(({ name }) => name === backend.service?.port?.name))
        faults.push(`the ingress leads to no port of ${backend.service?.name}`)
    }
  return faults
}

/** Ports, here and in the settings. */
function portFaults(resources: Resource[], workloads: Workload[]): string[] {
  const settings = settingsIn(resources)
  const set = new Map([
    ['http', settings.HUFU_PORT],
    ['metrics', settings.HUFU_METRICS_PORT],
    ['draw', settings.HUFU_PICTURES?.split(':')[1]],
  ])
  const open = workloads.flatMap((one) => [...portsOf(one)])
  const wrong = open.filter(([name = '', port]) => set.get(name) !== String(port))
  const allowed = all(resources, 'NetworkPolicy').flatMap(({ spec }) =>
    (spec?.ingress ?? []).flatMap((one) => one.ports ?? []),
  )
  const ports = new Set(allowed.map(({ port }) => Number(port)))
  const shut = open.filter(([, port]) => !ports.has(port))
  return [
    ...wrong.map(([name, port]) => `port ${name} is ${port}, not as the settings say`),
    ...shut.map(([name]) => `no rule opens port ${name}`),
  ]
}

/** A rule without destinations allows every destination. */
function egressFaults(resources: Resource[]): string[] {
  return all(resources, 'NetworkPolicy').flatMap(({ metadata, spec }) =>
    (spec?.egress ?? []).flatMap(({ to = [], ports = [] }) =>
      to.length > 0 && ports.length > 0 ? [] : `policy ${metadata?.name} names no destination or no port`,
    ),
  )
}

export const settingsIn = (resources: Resource[]): Record<string, string> =>
  Object.assign({}, ...all(resources, 'ConfigMap').map(({ data }) => data)) as Record<string, string>

function pathFaults({ name, container }: Workload, paths: string[]): string[] {
  const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe]
  const asked = probes.flatMap((probe) => (probe?.httpGet ? [probe.httpGet] : []))
  const ports = (container.ports ?? []).map((port) => port.name)
  return asked
    .filter(({ path = '', port }) => !paths.includes(path) || !ports.includes(String(port)))
    .map(({ path, port }) => `${name} is asked for ${path} at ${port}, where nothing answers`)
}

/** Least privilege: no root, only a temporary folder is writable, no privilege escalation, and a memory limit. */
function mighty({ name, template, container }: Workload): string[] {
  const pod = template.spec
  const { securityContext: own } = container
  const held = {
    'may be root': pod?.securityContext?.runAsNonRoot === true && (pod.securityContext.runAsUser ?? 0) > 0,
    'may make any system call': pod?.securityContext?.seccompProfile?.type === 'RuntimeDefault',
    'has an account of the cluster': pod?.automountServiceAccountToken === false,
    'may write': own?.readOnlyRootFilesystem === true,
    'may get more rights': own?.allowPrivilegeEscalation === false && own.capabilities?.drop?.includes('ALL') === true,
    'may take all memory': container.resources?.limits?.memory !== undefined,
  }
  return Object.entries(held).flatMap(([words, holds]) => (holds ? [] : `${name} ${words}`))
}

/** The decoder has no key, none of the other settings, its own system user and no egress. */
function drawerFaults(resources: Resource[], workloads: Workload[]): string[] {
  const drawers = workloads.filter(({ container }) => container.args?.[0] === 'draw')
  const others = workloads.filter((one) => !drawers.includes(one))
  const userOf = ({ template }: Workload) => template.spec?.securityContext?.runAsUser
  return drawers.flatMap((drawer) => {
    const { container, template } = drawer
    const policies = all(resources, 'NetworkPolicy').filter(({ spec }) =>
      chooses(spec?.podSelector?.matchLabels, drawer),
    )
    const held = {
      'gets more than where it listens':
        container.envFrom === undefined && (container.env ?? []).map(({ name }) => name).join() === 'HUFU_PICTURES',
      'gets addresses of other services': template.spec?.enableServiceLinks === false,
      'is the user of the others': !others.map(userOf).includes(userOf(drawer)),
      'has a way out': policies.every(
        ({ spec }) => spec?.policyTypes?.includes('Egress') && (spec.egress ?? []).length === 0,
      ),
    }
    return Object.entries(held).flatMap(([words, holds]) => (holds ? [] : `${drawer.name} ${words}`))
  })
}

export interface Facts {
  version: string
  /** What the server answers without a site. */
  paths: string[]
  /** Secrets that a comment asks operators to create. */
  secrets: string[]
  /** How long a process takes at most to stop, in seconds. */
  stopping: number
}

function startFaults({ name, template, container }: Workload, resources: Resource[], facts: Facts): string[] {
  const faults: string[] = []
  const maps = all(resources, 'ConfigMap').map(({ metadata }) => metadata?.name)
  for (const { configMapRef, secretRef } of container.envFrom ?? []) {
    if (configMapRef && !maps.includes(configMapRef.name))
      faults.push(`${name}: there are no settings ${configMapRef.name}`)
    if (secretRef && !facts.secrets.includes(secretRef.name ?? ''))
      faults.push(`${name}: no manifest creates the secret ${secretRef.name}`)
  }
  if (container.image !== `hufu:${facts.version}`) faults.push(`${name} runs ${container.image}, not ${facts.version}`)
  if (!['serve', 'work', 'migrate', 'draw'].includes(container.args?.join(' ') ?? ''))
    faults.push(`${name} runs no command`)
  const mounted = (container.volumeMounts ?? []).map((mount) => mount.name)
  const volumes = (template.spec?.volumes ?? []).map((volume) => volume.name)
  if (mounted.toSorted().join() !== volumes.toSorted().join()) faults.push(`${name} mounts ${mounted}, has ${volumes}`)
  const patience =
    (template.spec?.terminationGracePeriodSeconds ?? 30) - (container.lifecycle?.preStop?.sleep?.seconds ?? 0)
  if (patience < facts.stopping) faults.push(`${name} is killed while it stops`)
  return faults
}

/** Faults of the manifests: inconsistent with each other or with the product. */
export function disagreements(resources: Resource[], facts: Facts): string[] {
  const workloads = workloadsIn(resources)
  const outdated = all(resources, 'Job').filter(({ metadata }) => !metadata?.name?.endsWith(`-${facts.version}`))
  return [
    ...looseEnds(resources, workloads),
    ...portFaults(resources, workloads),
    ...drawerFaults(resources, workloads),
    ...egressFaults(resources),
    ...outdated.map(({ metadata }) => `${metadata?.name} isn't the job of ${facts.version}: it would not run again`),
    ...workloads.flatMap((one) => [
      ...mighty(one),
      ...pathFaults(one, facts.paths),
      ...startFaults(one, resources, facts),
    ]),
  ]
}
