import { oidcRoutes } from '@hufu/contract/oidc'

/** A route of the OpenID Connect provider with one of its methods. */
export interface RouteCall {
  path: string
  method: 'GET' | 'POST'
  limit: { calls: number; seconds: number }
  /** A browser goes there itself: refusals lead to a page. */
  navigation: boolean
}

const isNavigation = (path: string) => /^\/oidc\/(authorize|logout)/.test(path)

/** Every route of the provider, typed as widely as a sweep needs; a made-up id stands where one is wanted. */
export const routeCalls: readonly RouteCall[] = oidcRoutes.flatMap(({ path, methods, limit }) =>
  methods
    .filter((method) => method !== 'OPTIONS')
    .map((method) => ({ path: path.replace(':uid', 'made-up'), method, limit, navigation: isNavigation(path) })),
)

/** The path by which the limit counts. */
export const countedAs = ({ path }: RouteCall): string => path.replace('made-up', ':uid')
