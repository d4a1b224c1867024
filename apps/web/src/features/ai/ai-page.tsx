import { Bot, Settings2 } from 'lucide-react'
import { MerchantFrame } from '../../frame/merchant-frame.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useAiText } from './ai.text.ts'

/** A shell: nothing stands behind it yet. */
export default function AiPage() {
  const text = useAiText()
  return (
    <MerchantFrame title={text.title}>
      <Tabs
        label={text.title}
        tabs={[
          { name: 'chat', label: text.chat, content: <Empty icon={Bot} message={text.chatEmpty} /> },
          { name: 'config', label: text.config, content: <Empty icon={Settings2} message={text.configEmpty} /> },
        ]}
      />
    </MerchantFrame>
  )
}
