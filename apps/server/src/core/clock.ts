/** Time as the process sees it. What must expire exactly asks the store's clock instead. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }
