import { textHook } from '../../../lib/text/text.ts'
import { scopesZhCN } from '../scopes.text.zh-CN.ts'
import { consentZhCN } from './consent.text.zh-CN.ts'

/** The sentences of the consent page, and what the scopes are called. */
export const useConsentText = textHook({ 'zh-CN': { consent: consentZhCN, scopes: scopesZhCN } })
