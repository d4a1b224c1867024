import { pages } from '@hufu/contract/pages'
import { Compass } from 'lucide-react'
import { useFrameText } from '../frame/frame.text.ts'
import { Frame } from '../frame/frame.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'

export default function NotFoundPage() {
  const text = useFrameText().notFound
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
