import type { OutputOf } from '@hufu/contract/endpoint'
import type { openConfig } from '@hufu/contract/merchant-config'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { type CallInput, call } from '../../lib/call/call.ts'
import type { JsonSchema } from '../../ui/json-editor/json-schema.ts'

export type OpenedConfig = OutputOf<typeof openConfig>
export type Config = OpenedConfig['config']

/** As the editor shows it, in the order in which it was written. */
export const textOf = (config: Config) => JSON.stringify(config, null, 2)

export const newestQuery = queryOptions({
  queryKey: ['config', 'newest'],
  queryFn: () => call('/api/merchant/config/open'),
  staleTime: 0,
})

/** An old version never changes. */
export const versionQuery = (version: number) =>
  queryOptions({
    queryKey: ['config', 'version', version],
    queryFn: () => call('/api/merchant/config/open', { version }),
    staleTime: Number.POSITIVE_INFINITY,
  })

const pageSize = 10

export const historyQuery = infiniteQueryOptions({
  queryKey: ['config', 'history'],
  queryFn: ({ pageParam }) => call('/api/merchant/config/history', { top: pageSize, skip: pageParam }),
  initialPageParam: 0,
  getNextPageParam: ({ count }, pages) => {
    const shown = pages.flatMap(({ data }) => data).length
    return shown < count ? shown : undefined
  },
  staleTime: 0,
})

export const schemaQuery = queryOptions({
  queryKey: ['config', 'schema'],
  queryFn: async () => (await call('/api/merchant/config/schema')) as JsonSchema,
  staleTime: Number.POSITIVE_INFINITY,
})

/** What the server would refuse in this text. A failed request counts as no fault. */
export const checkQuery = (config: Config | undefined) =>
  queryOptions({
    queryKey: ['config', 'check', config],
    queryFn: () => call('/api/merchant/config/check', { config: config ?? {} }),
    enabled: config !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })

/** The public meta that this config would give; null where it could not be saved. */
export const previewQuery = (config: Config | undefined) =>
  queryOptions({
    queryKey: ['config', 'preview', config],
    queryFn: () => call('/api/merchant/config/preview', { config: config ?? {} }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })

export const checkConfig = (input: CallInput<'/api/merchant/config/check'>) => call('/api/merchant/config/check', input)

export const updateConfig = (input: CallInput<'/api/merchant/config/update'>) =>
  call('/api/merchant/config/update', input)

export const restoreConfig = (input: CallInput<'/api/merchant/config/restore'>) =>
  call('/api/merchant/config/restore', input)
