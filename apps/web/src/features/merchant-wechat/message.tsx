import '../../ui/fields/field.css'
import './message.css'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useMemo } from 'react'
import { mayMerchant } from '../../frame/navigation.ts'
import { useDevice } from '../../lib/device/device.ts'
import { useLast } from '../../lib/use-last.ts'
import { useUser } from '../../session/profile.api.ts'
import { AllowedButton } from '../../ui/allowed-button.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Diagnosis } from './diagnosis.tsx'
import { templatesQuery, useToldTrouble } from './merchant-wechat.api.ts'
import { useMerchantWechatText } from './merchant-wechat.text.ts'
import { MessageFields } from './message-fields.tsx'
import { MessagePreview } from './message-preview.tsx'
import { readParams } from './params.ts'
import { SendDialog } from './send-dialog.tsx'
import { isSameMessage, type MessageDraft, type Sent, useSending } from './sending.ts'

const narrow = 768

interface Props {
  draft: MessageDraft
  onDraft: (draft: MessageDraft) => void
}

/** Sends a template message to one user. */
export function MerchantMessage({ draft, onDraft }: Props) {
  const text = useMerchantWechatText()
  const { user } = useUser()
  const { data: templates, error, refetch, isFetching } = useQuery(templatesQuery(user?.id ?? ''))
  useToldTrouble(error)
  const template = templates?.find(({ template_id }) => template_id === draft.templateId)
  const content = template?.content ?? ''
  const read = useMemo(() => readParams(draft.params, content, text.message), [draft.params, content, text.message])
  const params = useLast(read.broken ? undefined : read.params) ?? {}
  // A template that the account no longer has is none.
  const sending = useSending({ ...draft, templateId: template?.template_id ?? '' }, read)
  const under = useDevice(({ width }) => width < narrow)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    sending.press()
  }
  const acts = (
    <SendActs
      busy={sending.busy}
      wide={under}
      refused={mayMerchant(user?.permission, 'WRITE') ? undefined : text.notAllowed}
    />
  )
  return (
    <form className="wechat-form" onSubmit={submit} noValidate>
      <section className="card padded">
        {error && !templates && (
          <Diagnosis error={error}>
            <Button kind="soft" busy={isFetching} onClick={() => refetch()}>
              {text.tryAgain}
            </Button>
          </Diagnosis>
        )}
        <MessageFields
          templates={templates}
          template={template}
          draft={draft}
          faults={read.faults}
          wrong={sending.wrong}
          onDraft={(changed) => {
            if (!isSameMessage(changed, draft)) sending.forget()
            onDraft(changed)
          }}
        />
        <Diagnosis error={sending.error} />
        {sending.sent && <SentNotice sent={sending.sent} />}
        {!under && acts}
      </section>
      <MessagePreview template={template} params={params} leads={draft.url.trim() !== ''} />
      {under && acts}
      {template && sending.asking && <SendDialog draft={draft} template={template} read={read} {...sending} />}
    </form>
  )
}

function SentNotice({ sent: { msgid, again } }: { sent: Sent }) {
  const text = useMerchantWechatText().message
  return <Notice kind={again ? 'warn' : 'good'}>{again ? text.sentBefore(msgid) : text.sentId(msgid)}</Notice>
}

function SendActs({ busy, wide, refused }: { busy: boolean; wide: boolean; refused: string | undefined }) {
  const text = useMerchantWechatText().message
  return (
    <div className="card-acts">
      <span className="hint">{refused ?? text.final}</span>
      <AllowedButton refused={refused} type={refused ? 'button' : 'submit'} busy={busy} wide={wide}>
        {text.send}
      </AllowedButton>
    </div>
  )
}
