import type { Site } from './sites.ts'

/** The host that passkeys are made for. By the address that is configured, never by the host of a request. */
export const rpIdOf = ({ origin }: Pick<Site, 'origin'>): string => new URL(origin).hostname
