import { pages } from '@hufu/contract/pages'
import { Compass } from 'lucide-react'
import { useText } from '../../lib/text.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Frame } from '../../ui/frame.tsx'

export default function NotFoundPage() {
  const text = useText().notFound
  return (
    <Frame title={text.title}>
      <Empty icon={Compass} message={text.message}>
        <ButtonLink to={pages.home} kind="soft">
          {text.home}
        </ButtonLink>
      </Empty>
    </Frame>
  )
}
