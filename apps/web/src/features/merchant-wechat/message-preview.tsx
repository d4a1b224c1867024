import { fieldsIn, fillIn, isUnshown } from '@hufu/contract/wechat-fields'
import { ChevronRight } from 'lucide-react'
import { useMerchantWechatText } from './merchant-wechat.text.ts'

interface Template {
  title: string
  content: string
}

interface Props {
  template: Template | undefined
  params: Record<string, string>
  /** A tap on the message leads somewhere. */
  leads: boolean
}

/** The message as WeChat draws it, with what has been written so far. */
export function MessagePreview({ template, params, leads }: Props) {
  const text = useMerchantWechatText().message
  return (
    <section className="card message-preview" aria-label={text.preview}>
      <h2>{text.preview}</h2>
      <div className="message-stage">
        {template ? (
          <div className="wxmsg">
            <h3>{template.title}</h3>
            <Lines content={template.content} params={params} />
            {leads && (
              <p className="wxmsg-go">
                {text.details}
                <ChevronRight />
              </p>
            )}
          </div>
        ) : (
          <p className="message-none">{text.previewEmpty}</p>
        )}
      </div>
      {template && <p className="hint">{text.unfilled}</p>}
    </section>
  )
}

function Lines({ content, params }: { content: string; params: Record<string, string> }) {
  const { unshown } = useMerchantWechatText().message
  const lines = content.split('\n').filter((line) => line.trim() !== '')
  return (
    <div className="wxmsg-lines">
      {lines.map((line, at) => {
        const { label, rest } = splitLine(line)
        const old = fieldsIn(rest).some(isUnshown)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are their place in the template
          <p key={at} className={old ? 'wxmsg-old' : undefined}>
            {label && <span className="wxmsg-label">{label}</span>}
            <span className={fieldsIn(fillIn(rest, params)).length > 0 ? 'mono' : undefined}>
              {fillIn(rest, params)}
            </span>
            {old && <small>{unshown}</small>}
          </p>
        )
      })}
    </div>
  )
}

/** 商品名称:{{thing2.DATA}} is a label and what it is about. */
function splitLine(line: string): { label?: string; rest: string } {
  const [, label, rest] = /^([^{}:：]+)[:：]\s*(.*)$/.exec(line) ?? []
  return label !== undefined && rest !== undefined ? { label, rest } : { rest: line }
}
