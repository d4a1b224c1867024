import { Bot, Settings2 } from 'lucide-react'
import { useStatisticsText } from '../../lib/statistics-text.ts'
import { Empty } from '../../ui/empty.tsx'
import { MerchantFrame } from '../../ui/merchant-frame.tsx'
import { Tabs } from '../../ui/tabs.tsx'

/** A shell: nothing stands behind it yet. */
export default function AiPage() {
  const text = useStatisticsText().ai
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
