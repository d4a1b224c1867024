import { textHook } from '../../../lib/text/text.ts'
import { whenZhCN } from '../../../lib/time/when.text.zh-CN.ts'
import { scopesZhCN } from '../scopes.text.zh-CN.ts'
import { authorizationsZhCN } from './authorizations.text.zh-CN.ts'

/** The sentences of 授权管理, what the scopes are called, and how times are written. */
export const useAuthorizationsText = textHook({
  'zh-CN': { list: authorizationsZhCN, scopes: scopesZhCN, when: whenZhCN },
})
