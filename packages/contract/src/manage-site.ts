import { z } from 'zod'
import { managed } from './endpoint.ts'

export const readManagedConfig = managed({
  method: 'GET',
  path: '/api/manage/v1/config',
  summary: 'The config of the site as it is in force. Secrets are shown as ********.',
  scope: 'config:read',
  tagged: true,
  input: z.object({}),
  output: z.object({ version: z.number(), time: z.number(), config: z.record(z.string(), z.unknown()) }),
})
