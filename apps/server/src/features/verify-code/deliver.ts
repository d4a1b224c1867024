import { codeLifeMinutes } from '@hufu/contract/verify-code-rules'
import { type Outcome, refused } from '../../integrations/outcome.ts'
import { sendSms } from '../../integrations/sms/send-sms.ts'
import type { Deps } from '../../shared/deps.ts'
import { smsAccounts } from '../../shared/sites/site-gateways.ts'
import { secretPaths, unsealSecret } from '../../shared/sites/site-secrets.ts'
import type { Site } from '../../shared/sites/sites.ts'
import type { Mobile } from '../users/login-names.ts'
import type { Purpose } from './verify-code.store.ts'

type Needs = Pick<Deps, 'config' | 'clock' | 'log' | 'breaker' | 'mailer'>

/** Where a code goes. */
export type Receiver = { kind: 'mobile'; mobile: Mobile; value: string } | { kind: 'email'; value: string }

/** Sends the code through one of the site's gateways. */
export async function deliver(
  deps: Needs,
  site: Site,
  receiver: Receiver,
  purpose: Purpose,
  code: string,
): Promise<Outcome> {
  return receiver.kind === 'mobile'
    ? text(deps, site, receiver.mobile, purpose, code)
    : mail(deps, site, receiver.value, purpose, code)
}

/** The fallback where a gateway has no template for a purpose. */
const standIns: Partial<Record<Purpose, Purpose>> = { recoveryMobile: 'changeMobile', undo: 'twoFactor' }

function accountsFor(deps: Needs, site: Site, purpose: Purpose) {
  const standIn = standIns[purpose]
  const accounts = smsAccounts(deps.config.keys, site)
  if (!standIn) return accounts
  return accounts.map((account) => ({
    ...account,
    templates: { [purpose]: account.templates?.[standIn] ?? '', ...account.templates },
  }))
}

function text(deps: Needs, site: Site, mobile: Mobile, purpose: Purpose, code: string): Promise<Outcome> {
  const params = [
    { name: 'code', value: code },
    { name: 'minutes', value: String(codeLifeMinutes) },
  ]
  return sendSms({ ...deps, smsUrls: deps.config.smsUrls }, accountsFor(deps, site, purpose), {
    prefix: mobile.prefix,
    mobile: mobile.number,
    purpose,
    params,
  })
}

const subjects: Partial<Record<Purpose, string>> = {
  authorize: '修改电子邮箱',
  twoFactor: '身份验证',
  confirm: '确认登录',
  recovery: '找回账号验证码',
}

async function mail(deps: Needs, site: Site, to: string, purpose: Purpose, code: string): Promise<Outcome> {
  const { mail: config } = site.config
  if (!config) return refused('NO_MAIL', 'the site sends no mail')
  const password = unsealSecret(deps.config.keys, site.id, secretPaths.mail(config.host, config.port), config.password)
  const name = site.config.name ?? ''
  return await deps.mailer.send(
    { ...config, password },
    {
      to,
      subject: `【${name}】${subjects[purpose] ?? '验证码'}：${code}`,
      text: `您的验证码为 ${code}，${codeLifeMinutes} 分钟内有效。请勿向任何人透露。如非本人操作，请忽略本邮件。\n\n${name}\n${site.origin}`,
      messageId: `<${crypto.randomUUID()}@${new URL(site.origin).hostname}>`,
    },
  )
}
