import { z } from 'zod'
import { endpoint } from './endpoint.ts'

export const pageVisit = endpoint({
  path: '/api/page/visit',
  summary: 'Reports that the browser moved to another page without loading a document.',
  access: 'public',
  input: z.object({}),
  output: z.null(),
})
