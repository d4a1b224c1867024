import { randomUUID } from 'node:crypto'

declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }

export type SiteId = Branded<'SiteId'>

export const newSiteId = () => randomUUID() as SiteId
