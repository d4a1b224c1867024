import { z } from 'zod'
import { endpoint, nothing } from './endpoint.ts'
import { listOf, paging, upload } from './fields.ts'
import { pictureRules } from './picture-rules.ts'
import { siteMeta } from './site.ts'

const limit = { calls: 240, seconds: 60 }

/** Any JSON object: known sections are checked by the server, unknown keys are kept. */
const config = z.record(z.string(), z.unknown())

const version = z.int().min(1).max(1_000_000_000)

const saved = z
  .object({
    version,
    time: z.number(),
    /** The name of the operator who saved it, or the short id; null for the command line. */
    by: z.string().nullable(),
    /** The version it returned to, where it did. */
    restored: z.number().nullable(),
  })
  .meta({ id: 'SavedConfig' })
export type SavedConfig = z.infer<typeof saved>

export const readConfig = endpoint({
  path: '/api/merchant/config/read',
  summary: "The site's config; secrets are shown as ********.",
  access: 'merchantRead',
  limit,
  input: nothing,
  output: config,
})

export const openConfig = endpoint({
  path: '/api/merchant/config/open',
  summary: 'One version of the config, the newest unless said otherwise, and who saved it when.',
  access: 'merchantRead',
  limit,
  errors: ['NOT_FOUND'],
  input: z.object({ version: version.optional() }),
  output: saved.extend({ config }),
})

export const updateConfig = endpoint({
  path: '/api/merchant/config/update',
  summary: 'Saves the config as a new version. Changed secrets, sources or clients need an identity check.',
  access: 'merchantAdmin',
  limit,
  errors: ['CONFIG_CONFLICT', 'OPERATOR_TOO_NEW', 'SECOND_TOO_FRESH'],
  input: z.object({
    config,
    /** The version that was edited: a newer one answers CONFIG_CONFLICT. Where left out, the newest. */
    basedOn: version.optional(),
  }),
  output: z.object({ version }),
})

export const configHistory = endpoint({
  path: '/api/merchant/config/history',
  summary: 'Who saved the config when, newest first.',
  access: 'merchantRead',
  limit,
  input: paging,
  output: listOf(saved),
})

export const restoreConfig = endpoint({
  path: '/api/merchant/config/restore',
  summary: 'Saves an earlier version anew; secrets stay as they are now.',
  access: 'merchantAdmin',
  limit,
  errors: ['CONFIG_CONFLICT', 'NOT_FOUND', 'OPERATOR_TOO_NEW', 'SECOND_TOO_FRESH'],
  input: z.object({ version, basedOn: version.optional() }),
  output: z.object({ version }),
})

const fault = z
  .object({
    /** The keys and indexes of the position; the last may be a missing key. */
    path: z.array(z.union([z.string(), z.number()])),
    message: z.string(),
  })
  .meta({ id: 'ConfigFault' })
export type ConfigFault = z.infer<typeof fault>

export const checkConfig = endpoint({
  path: '/api/merchant/config/check',
  summary: 'Says what is wrong with a config, by the rules by which it would be saved; saves nothing.',
  access: 'merchantRead',
  limit,
  input: z.object({ config }),
  output: z.array(fault),
})

export const configSchema = endpoint({
  path: '/api/merchant/config/schema',
  summary: 'The known sections as a JSON Schema, with a sentence for each field.',
  access: 'merchantRead',
  limit,
  input: nothing,
  output: z.record(z.string(), z.unknown()),
})

export const previewConfig = endpoint({
  path: '/api/merchant/config/preview',
  summary: 'The public meta of the site if a config were saved; saves nothing.',
  access: 'merchantRead',
  limit,
  input: z.object({ config }),
  /** Null where it could not be saved. */
  output: siteMeta.nullable(),
})

const handedOver = {
  limit: { calls: 60, seconds: 60 },
  upload: { bytes: pictureRules.bytes },
  input: z.object({ file: upload }),
  /** Where it is served, as the config names it. */
  output: z.object({ path: z.string() }),
}

export const addLogo = endpoint({
  path: '/api/merchant/config/logo',
  summary: 'Hands over a logo for the config: JPEG, PNG or WebP, kept as WebP without metadata.',
  access: 'merchantAdmin',
  ...handedOver,
})

export const addBackground = endpoint({
  path: '/api/merchant/config/background',
  summary: 'Hands over a background for the config: JPEG, PNG or WebP, kept as WebP without metadata.',
  access: 'merchantAdmin',
  ...handedOver,
})
