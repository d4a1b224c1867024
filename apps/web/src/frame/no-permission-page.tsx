import { pages } from '@hufu/contract/pages'
import { LockKeyhole } from 'lucide-react'
import { useText } from '../lib/text/text.ts'
import { ButtonLink } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Frame } from './frame.tsx'

/** In place of a page whose rights the person lacks. */
export function NoPermissionPage() {
  const text = useText().noPermission
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
