import { pages } from '@hufu/contract/pages'
import { Copy } from 'lucide-react'
import type { ReactNode } from 'react'
import { CallError } from '../../lib/call/call.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useCopy } from './copy.ts'
import { useMerchantWechatText } from './merchant-wechat.text.ts'
import type { Advice } from './merchant-wechat.text.zh-CN.ts'

const adviceByCode: Record<number, Advice> = {
  40001: 'secret',
  40003: 'openid',
  40013: 'app',
  40036: 'template',
  40037: 'template',
  40125: 'secret',
  40164: 'address',
  40243: 'secret',
  43004: 'follow',
  43101: 'refused',
  43116: 'template',
  43117: 'tooOften',
  45009: 'dayQuota',
  45011: 'minute',
  48001: 'rights',
  48004: 'limited',
  50002: 'limited',
  89501: 'approval',
  89503: 'approval',
  89506: 'approval',
  89507: 'approval',
}

function adviceFor({ code, details }: CallError): Advice | undefined {
  if (code === 'WECHAT_OFF') return 'off'
  if (code === 'WECHAT_FAILED') return 'failed'
  return code === 'WECHAT_CALL_REFUSED' ? adviceByCode[Number(details?.errcode)] : undefined
}

const textIn = (error: CallError, field: string) => {
  const value = error.details?.[field]
  return typeof value === 'string' ? value : undefined
}

/** Where, if known, and why. */
const reasonOf = (error: CallError) =>
  ['place', 'reason'].flatMap((field) => textIn(error, field) ?? []).join('：') || error.message

/** Fixed in the config. */
const inConfig: (Advice | undefined)[] = ['secret', 'app', 'off']

interface Props {
  error: Error | null
  children?: ReactNode
}

/** What went wrong at WeChat in plain words, and what to do about it. */
export function Diagnosis({ error, children }: Props) {
  const text = useMerchantWechatText()
  const copy = useCopy()
  if (!(error instanceof CallError)) return null
  const advice = adviceFor(error)
  const address = textIn(error, 'address')
  return (
    <div className="diagnosis" role="alert">
      <Notice kind="bad">{reasonOf(error)}</Notice>
      {advice && (
        <ol aria-label={text.whatToDo}>
          {text.advice[advice].map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      )}
      <div className="diagnosis-acts">
        {address && (
          <Button kind="soft" onClick={() => copy(address)}>
            <Copy />
            {text.copyAddress}
          </Button>
        )}
        {inConfig.includes(advice) && (
          <ButtonLink kind="soft" to={pages.merchantConfig}>
            {text.toConfig}
          </ButtonLink>
        )}
        {children}
      </div>
    </div>
  )
}
