import { pages } from '@hufu/contract/pages'
import { Compass } from 'lucide-react'
import { Frame } from '../frame/frame.tsx'
import { useText } from '../lib/text/text.ts'
import { ButtonLink } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'

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
