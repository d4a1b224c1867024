/** The stream of wake-ups of a signed-in browser, by GET. It says that there is something new, never what. */
export const eventsPath = '/api/events'

/** What one event holds. */
export interface WakeEvent {
  conversation: string
  /** The number of its newest entry. */
  seq: number
  /** For operators: only their internal data of it is new. */
  desk?: true
}
