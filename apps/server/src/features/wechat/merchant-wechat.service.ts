import type { OutputOf, ParsedInputOf } from '@hufu/contract/endpoint'
import type { merchantWechatToken, sendWechatMessage } from '@hufu/contract/merchant-wechat'
import { convertMenu } from '@hufu/contract/wechat-menu'
import { createMenu, fetchMenu } from '../../integrations/wechat/menu.ts'
import { fetchTemplates, sendTemplate, type WechatTemplate } from '../../integrations/wechat/template.ts'
import type { WechatOutcome } from '../../integrations/wechat/wechat.ts'
import { hasNoMenu, refusalText, unlistedAddress } from '../../integrations/wechat/wechat-errors.ts'
import { AppError } from '../../platform/app-error.ts'
import { sha256 } from '../../platform/crypto/hash.ts'
import type { UserId } from '../../platform/ids.ts'
import { recordOperator } from '../../shared/audit/operator-log.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { requireStepUp } from '../../shared/step-up/step-up.ts'
import { sharedToken, withToken } from '../../shared/wechat-token/wechat-token.ts'
import { findUsers } from '../users/user.store.ts'
import { findOpenid } from './merchant-wechat.store.ts'
import { requireApp } from './round-trip.ts'

type Needs = Pick<Deps, 'db' | 'redis' | 'breaker' | 'log' | 'config' | 'clock' | 'wechatTokens' | 'deliveryFailures'>

/** The access token for an operator's own use; recorded before it is shown. */
export async function showToken(
  deps: Needs,
  site: Site,
  caller: Caller,
): Promise<OutputOf<typeof merchantWechatToken>> {
  await requireStepUp(deps.db, caller, 'secondKind')
  const app = requireApp(deps, site)
  const { value, lifeMs } = orThrow(await sharedToken(deps, site.id, app))
  await recordOperator(deps.db, site.id, { operator: caller.userId, action: 'wechat.token', target: app.appId })
  return { access_token: value, expires: Math.floor(deps.clock.now() + lifeMs) }
}

export async function loadMenu(deps: Needs, site: Site): Promise<Record<string, unknown>> {
  const outcome = await withToken(deps, site.id, requireApp(deps, site), (token) => fetchMenu(deps, token))
  return outcome.kind === 'refused' && hasNoMenu(outcome.code) ? { button: [] } : orThrow(outcome)
}

export async function changeMenu(deps: Needs, site: Site, caller: Caller, data: unknown): Promise<null> {
  await requireStepUp(deps.db, caller, 'secondKind')
  const app = requireApp(deps, site)
  const result = convertMenu(data)
  if ('faults' in result) throw new AppError('WECHAT_MENU_INVALID', { ...result.faults[0] })
  const operator = caller.userId
  await recordOperator(deps.db, site.id, { operator, action: 'wechat.menu', target: app.appId, detail: result })
  orThrow(await withToken(deps, site.id, app, (token) => createMenu(deps, token, result.menu)))
  return null
}

export async function loadTemplates(deps: Needs, site: Site): Promise<WechatTemplate[]> {
  return orThrow(await withToken(deps, site.id, requireApp(deps, site), (token) => fetchTemplates(deps, token)))
}

/** Recorded before it is sent: there may be a record of a message that WeChat refused, but no message without one. */
export async function sendMessage(
  deps: Needs,
  site: Site,
  caller: Caller,
  { userId: wanted, templateId, url, params }: ParsedInputOf<typeof sendWechatMessage>,
): Promise<OutputOf<typeof sendWechatMessage>> {
  await requireStepUp(deps.db, caller, 'secondKind')
  const app = requireApp(deps, site)
  const userId = await theUser(deps, site, wanted)
  const openid = await findOpenid(deps.db, site.id, userId, app.appId)
  if (!openid) throw new AppError('WECHAT_UNBOUND')
  const clientMsgId = idOf(site.id, userId, templateId, url ?? '', JSON.stringify(Object.entries(params).sort()))
  const detail = { templateId, clientMsgId }
  await recordOperator(deps.db, site.id, { operator: caller.userId, action: 'wechat.send', target: userId, detail })
  const message = { openid, templateId, url, clientMsgId, params }
  return orThrow(await withToken(deps, site.id, app, (token) => sendTemplate(deps, token, message)))
}

/** The same message has the same id, so that a retry by an operator delivers no duplicate. */
const idOf = (...parts: string[]) => sha256(parts.join('\n')).toString('hex').slice(0, 32)

async function theUser(deps: Needs, site: Site, idBeginning: string): Promise<UserId> {
  const [found, another] = await findUsers(deps.db, site.id, idBeginning, 2)
  if (!found) throw new AppError('USER_UNKNOWN')
  if (another) throw new AppError('USER_AMBIGUOUS')
  return found
}

/** A refusal by WeChat is shown to the operator in plain words; an unknown outcome as a failure to reach it. */
function orThrow<Data>(outcome: WechatOutcome<Data>): Data {
  if (outcome.kind === 'done') return outcome.data
  if (outcome.kind === 'unknown') throw new AppError('WECHAT_FAILED')
  const { code, message } = outcome
  const address = unlistedAddress(code, message)
  throw new AppError('WECHAT_CALL_REFUSED', {
    errcode: code,
    reason: refusalText(code, message),
    ...(address && { address }),
  })
}
