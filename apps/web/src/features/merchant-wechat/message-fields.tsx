import { ChevronDown, Copy } from 'lucide-react'
import { IconButton } from '../../ui/button.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { JsonEditor } from '../../ui/json-editor/json-editor.tsx'
import { useCopy } from './copy.ts'
import type { Template } from './merchant-wechat.api.ts'
import { useMerchantWechatText } from './merchant-wechat.text.ts'
import { blankParams, type ParamFault } from './params.ts'
import type { MessageDraft } from './sending.ts'
import { UserField } from './user-field.tsx'

interface Props {
  templates: Template[] | undefined
  template: Template | undefined
  draft: MessageDraft
  faults: ParamFault[]
  wrong: { user?: string; template?: string; url?: string }
  onDraft: (draft: MessageDraft) => void
}

/** Who, which template, with what in it, and where a tap leads. */
export function MessageFields({ templates, template, draft, faults, wrong, onDraft }: Props) {
  const text = useMerchantWechatText().message
  const change = (difference: Partial<MessageDraft>) => onDraft({ ...draft, ...difference })
  const choose = (templateId: string) => {
    const content = templates?.find(({ template_id }) => template_id === templateId)?.content
    change({ templateId, params: blankParams(content ?? '') })
  }
  return (
    <>
      <UserField receiver={draft.receiver} error={wrong.user} onReceiver={(receiver) => change({ receiver })} />
      <div className="wechat-split">
        <TemplateSelect templates={templates} chosen={draft.templateId} error={wrong.template} onChoose={choose} />
        <TemplateId id={template?.template_id ?? ''} />
      </div>
      <div className="field">
        <p className="label">{text.params}</p>
        <div className="json-frame">
          <JsonEditor
            label={text.params}
            value={draft.params}
            faults={faults}
            onChange={(params) => change({ params })}
          />
        </div>
      </div>
      <Field label={text.url} error={wrong.url} hint={text.urlHint}>
        {(control) => (
          <div className="box">
            <input
              {...control}
              type="url"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={2048}
              value={draft.url}
              onChange={({ target }) => change({ url: target.value })}
            />
          </div>
        )}
      </Field>
    </>
  )
}

interface SelectProps {
  templates: Template[] | undefined
  chosen: string
  error: string | undefined
  onChoose: (id: string) => void
}

function TemplateSelect({ templates, chosen, error, onChoose }: SelectProps) {
  const text = useMerchantWechatText().message
  const none = templates?.length === 0
  return (
    <Field label={text.template} error={error} {...(none && { hint: text.templateNone })}>
      {(control) => (
        <div className="box template-select">
          <select {...control} value={chosen} disabled={!templates} onChange={({ target }) => onChoose(target.value)}>
            <option value="">{templates ? text.templateChoose : text.templateWaiting}</option>
            {templates?.map(({ template_id, title }) => (
              <option key={template_id} value={template_id}>
                {title}
              </option>
            ))}
          </select>
          <ChevronDown />
        </div>
      )}
    </Field>
  )
}

function TemplateId({ id }: { id: string }) {
  const text = useMerchantWechatText().message
  const copy = useCopy()
  return (
    <Field label={text.templateId}>
      {(control) => (
        <div className="box readonly">
          <input {...control} className="mono" readOnly value={id} />
          {id !== '' && (
            <IconButton label={text.copyTemplateId} onClick={() => copy(id)}>
              <Copy />
            </IconButton>
          )}
        </div>
      )}
    </Field>
  )
}
