import type { z } from 'zod'
import type { Limit } from './endpoint.ts'

/** A browser navigation under /api/: a GET that always answers with a redirect. */
export interface Navigation<Query extends z.ZodType = z.ZodType> {
  path: `/api/${string}`
  summary: string
  limit: Limit
  /** Redirects home unless one of our own pages sent the browser here. */
  fromHere: boolean
  /** The page that a refused one returns to. */
  home: '/login' | '/user'
  query: Query
}

export const navigation = <Query extends z.ZodType>(description: Navigation<Query>): Navigation<Query> => description
