import '../../ui/card.css'
import '../../ui/fields/field.css'
import { pages } from '@hufu/contract/pages'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Copy, Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import { mayMerchant } from '../../frame/navigation.ts'
import { useAfterCheck } from '../../identity/step-up/use-after-check.ts'
import { useNow } from '../../lib/time/use-now.ts'
import { clockOf, dayName } from '../../lib/time/when.ts'
import { useUser } from '../../session/profile.api.ts'
import { AllowedButton } from '../../ui/allowed-button.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useCopy } from './copy.ts'
import { Diagnosis } from './diagnosis.tsx'
import { tokenMs, tokenQuery, useToldTrouble } from './merchant-wechat.api.ts'
import { useMerchantWechatText } from './merchant-wechat.text.ts'

/** The access token, fetched by a tap alone: each fetch is recorded. */
export function MerchantToken() {
  const text = useMerchantWechatText()
  const { user } = useUser()
  const { token, busy, error, fetch } = useToken(user?.id ?? '')
  useToldTrouble(error)
  const refused = mayMerchant(user?.permission, 'ADMIN') ? undefined : text.notAllowed
  return (
    <section className="card padded token-card">
      <p>{text.token.lead}</p>
      <Notice>{text.token.recorded}</Notice>
      <Diagnosis error={error} />
      {token && <TokenValue value={token.access_token} expires={token.expires} />}
      <div className="card-acts">
        <span className="hint">{refused}</span>
        <AllowedButton refused={refused} busy={busy} kind={token ? 'quiet' : 'main'} onClick={fetch}>
          {token ? text.token.fetchAgain : text.token.fetch}
        </AllowedButton>
        {token && <CopyToken value={token.access_token} />}
      </div>
    </section>
  )
}

/** A token fetched less than a minute ago is still shown when the tab opens again; an older one needs a tap. */
function useToken(userId: string) {
  const client = useQueryClient()
  const query = tokenQuery(userId)
  const { data, dataUpdatedAt, isFetching, error } = useQuery({ ...query, enabled: false })
  const [opened] = useState(Date.now)
  const check = useAfterCheck<true>(
    `${pages.merchantWechat}#token`,
    () => void client.fetchQuery(query).catch(() => undefined),
  )
  return {
    token: dataUpdatedAt > opened - tokenMs ? data : undefined,
    busy: isFetching || check.busy,
    error,
    fetch: () => check.begin(true),
  }
}

function TokenValue({ value, expires }: { value: string; expires: number }) {
  const text = useMerchantWechatText()
  const now = useNow()
  const [shown, setShown] = useState(false)
  const minutes = Math.ceil((expires - now) / 60_000)
  const when = `${dayName(expires, now, text.when)} ${clockOf(expires)}`
  return (
    <div className="field">
      <p className="label">{text.token.label}</p>
      <div className="token-box">
        <p className="token mono">{shown ? value : <MaskedToken />}</p>
        <IconButton label={shown ? text.token.hide : text.token.show} onClick={() => setShown(!shown)}>
          {shown ? <EyeOff /> : <Eye />}
        </IconButton>
      </div>
      <p className={minutes > 0 ? 'hint' : 'error'}>
        {minutes > 0 ? text.token.until(when, minutes) : text.token.over}
      </p>
    </div>
  )
}

function CopyToken({ value }: { value: string }) {
  const text = useMerchantWechatText().token
  const copy = useCopy()
  return (
    <Button kind="soft" onClick={() => copy(value)}>
      <Copy />
      {text.copy}
    </Button>
  )
}

/** Reveals nothing of the token, not even its length. */
function MaskedToken() {
  const { hidden } = useMerchantWechatText().token
  return (
    <>
      <span aria-hidden="true">{'•'.repeat(24)}</span>
      <span className="unseen">{hidden}</span>
    </>
  )
}
