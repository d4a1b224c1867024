/** What other systems can learn of. Names never change; new ones may be added. */
export const eventTypes = [
  'user.created',
  'user.updated',
  'user.disabled',
  'user.enabled',
  'user.deleted',
  'session.revoked',
  'identity.bound',
  'identity.unbound',
  'factor.enrolled',
  'factor.reset',
  'consent.given',
  'consent.withdrawn',
  'feedback.created',
  'feedback.replied',
  'feedback.closed',
  'config.changed',
  'operator.granted',
  'operator.revoked',
  'export.made',
] as const
export type EventType = (typeof eventTypes)[number]

/** For how long an event can be read and delivered. */
export const eventDays = 30

/** Names what changed and contains none of it: who may know the values fetches them. */
export interface EventData {
  /** The id of the user; of a conversation, an export or a config version where the event is about one. */
  id: string
  /** The names of what changed. */
  changed: string[]
  /** The user of a conversation, or the operator of an export. */
  user?: string
  /** The client that a consent is about. */
  client?: string
  /** The sessions that ended, and why. */
  sessions?: string[]
  reason?: string
}
