import { z } from 'zod'
import { managed } from './endpoint.ts'
import { type EventType, eventTypes } from './event-rules.ts'

const isType = (name: string): name is EventType => (eventTypes as readonly string[]).includes(name)

const managedEvent = z
  .object({
    /** Its place among the events of the site. */
    position: z.number(),
    /** The same as `webhook-id` of its deliveries. */
    id: z.string(),
    type: z.enum(eventTypes),
    timestamp: z.string(),
    data: z.object({
      id: z.string(),
      changed: z.array(z.string()),
      user: z.string().optional(),
      client: z.string().optional(),
      sessions: z.array(z.string()).optional(),
      reason: z.string().optional(),
    }),
  })
  .meta({ id: 'ManagedEvent' })

export const listManagedEvents = managed({
  method: 'GET',
  path: '/api/manage/v1/events',
  summary:
    'Events after a cursor, oldest first, for 30 days. A cursor whose events are no longer kept answers EVENTS_EXPIRED.',
  scope: 'events:read',
  errors: ['EVENTS_EXPIRED'],
  input: z.object({
    after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
    limit: z.coerce.number().int().min(1).max(1_000).default(100),
    /** Names of types, separated by commas; all where it is missing. */
    types: z
      .string()
      .max(500)
      .refine((names) => names.split(',').every(isType))
      .optional(),
  }),
  output: z.object({
    data: z.array(managedEvent),
    /** The cursor to go on from. */
    next: z.number(),
    /** Whether there are more at once. */
    more: z.boolean(),
  }),
})
