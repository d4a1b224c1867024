import { validate as Deployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment'
import { validate as HorizontalPodAutoscaler } from 'kubernetes-models/_schemas/IoK8sApiAutoscalingV2HorizontalPodAutoscaler'
import { validate as Job } from 'kubernetes-models/_schemas/IoK8sApiBatchV1Job'
import { validate as ConfigMap } from 'kubernetes-models/_schemas/IoK8sApiCoreV1ConfigMap'
import { validate as Service } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service'
import { validate as Ingress } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1Ingress'
import { validate as NetworkPolicy } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy'
import { validate as PodDisruptionBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget'
import type { Resource } from './manifests.ts'

interface Schema {
  (data: unknown): boolean
  /** Of the last call. */
  errors?: { instancePath: string; keyword: string; params: object }[] | null
}

/** Kubernetes' own schemas, as functions. */
const schemas = new Map<string, Schema>(
  Object.entries({
    'apps/v1 Deployment': Deployment,
    'autoscaling/v2 HorizontalPodAutoscaler': HorizontalPodAutoscaler,
    'batch/v1 Job': Job,
    'v1 ConfigMap': ConfigMap,
    'v1 Service': Service,
    'networking.k8s.io/v1 Ingress': Ingress,
    'networking.k8s.io/v1 NetworkPolicy': NetworkPolicy,
    'policy/v1 PodDisruptionBudget': PodDisruptionBudget,
  }),
)

/** The value, recording which of its fields were never read. */
function watch<Value>(value: Value, path: string, unread: Set<string>): Value {
  if (typeof value !== 'object' || value === null) return value
  for (const key of Object.keys(value)) unread.add(`${path}/${key}`)
  const seen = new Map<PropertyKey, unknown>()
  return new Proxy(value, {
    get(target, key) {
      unread.delete(`${path}/${String(key)}`)
      if (!seen.has(key)) seen.set(key, watch(Reflect.get(target, key), `${path}/${String(key)}`, unread))
      return seen.get(key)
    },
  })
}

/** What Kubernetes would refuse: wrong values, and fields it doesn't know, which are those that its schema never looks at. */
export function schemaFaults(resource: Resource): string[] {
  const { apiVersion, kind, metadata } = resource
  const validate = schemas.get(`${apiVersion} ${kind}`)
  if (!validate) return [`${apiVersion} ${kind} isn't known here`]
  const unread = new Set<string>()
  validate(watch(resource, '', unread))
  const wrong = (validate.errors ?? []).map(
    ({ instancePath, keyword, params }) => `${instancePath} ${keyword} ${JSON.stringify(params)}`,
  )
  return [...wrong, ...[...unread].map((path) => `${path} isn't known`)].map(
    (fault) => `${kind} ${metadata?.name} ${fault}`,
  )
}
