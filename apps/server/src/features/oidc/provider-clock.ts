/**
 * A moment that the provider takes for the future, in epoch seconds. It goes by the clock of its machine; whether
 * something has expired was judged by the database's.
 */
export const soonByProvider = (): number => Math.floor(Date.now() / 1000) + 5
