import type { OidcScope } from '@hufu/contract/oidc'
import type { AdapterPayload } from 'oidc-provider'
import { isScope } from '../interaction/consent-answer.ts'
import { acrValues } from '../sign-in-level.ts'

interface AcrRequest {
  essential?: boolean
  value?: string
  values?: string[]
}

interface ClaimsRequest {
  id_token?: Record<string, unknown> & { acr?: AcrRequest | null }
  userinfo?: Record<string, unknown>
}

/** What a device asked for, in the words of the request that the library checked. */
export interface DeviceRequest {
  scopes: string[]
  claims: ClaimsRequest | undefined
  /** Whether the client wants a second factor or nothing. */
  demandsFactor: boolean
  address: string
  userAgent: string
}

/** An essential acr that one proof doesn't reach, as at the authorization endpoint. */
function demandsFactor(acr: AcrRequest | null | undefined): boolean {
  if (!acr?.essential) return false
  const wanted = acr.values ?? (acr.value === undefined ? [] : [acr.value])
  return wanted.length > 0 && !wanted.includes(acrValues[0])
}

export function deviceRequestOf({ params = {}, deviceInfo = {} }: AdapterPayload): DeviceRequest {
  const { scope = '', claims: text } = params
  const { ip = '', ua = '' } = deviceInfo as { ip?: string; ua?: string }
  const claims = typeof text === 'string' ? (JSON.parse(text) as ClaimsRequest) : undefined
  return {
    scopes: String(scope).split(' ').filter(Boolean),
    claims,
    demandsFactor: demandsFactor(claims?.id_token?.acr),
    address: ip,
    userAgent: ua,
  }
}

/** What a third-party client asks to know. */
export const askedScopesOf = ({ scopes }: DeviceRequest): OidcScope[] => scopes.filter(isScope)

export const askedClaimsOf = ({ claims }: DeviceRequest): string[] => [
  ...new Set([...Object.keys(claims?.userinfo ?? {}), ...Object.keys(claims?.id_token ?? {})]),
]

/** Upper-case letters, as they are stored. */
export const normalUserCode = (typed: string): string => typed.toUpperCase().replace(/[^A-Z]/g, '')

/** As the device shows it. */
export const shownUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`
