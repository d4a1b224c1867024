import { pages } from '@hufu/contract/pages'
import { LockKeyhole } from 'lucide-react'
import { ButtonLink } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { useFrameText } from './frame.text.ts'
import { Frame } from './frame.tsx'

/** In place of a page whose rights the user lacks. */
export function NoPermissionPage() {
  const text = useFrameText().noPermission
  return (
    <Frame title={text.title}>
      <Empty icon={LockKeyhole} message={text.message}>
        <ButtonLink to={pages.home} kind="quiet">
          {text.home}
        </ButtonLink>
      </Empty>
    </Frame>
  )
}
