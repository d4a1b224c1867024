import { pages } from '@hufu/contract/pages'
import { useQueryClient } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { useEffect } from 'react'
import { useLocation } from 'react-router'
import { visitorQuery } from '../session/profile.api.ts'
import { ButtonLink } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { useEnrolText } from './enrol.text.ts'
import { useFrameText } from './frame.text.ts'
import { Frame } from './frame.tsx'

/** In place of every back-office page, for an operator without a second factor. */
export function EnrolRequiredPage() {
  const text = useEnrolText()
  const { merchant } = useFrameText().frame
  const { pathname, search } = useLocation()
  const client = useQueryClient()
  // The user may be back from adding one.
  useEffect(() => void client.invalidateQueries({ queryKey: visitorQuery.queryKey }), [client])
  return (
    <Frame title={merchant}>
      <Empty icon={ShieldCheck} title={text.title} message={text.message}>
        <ButtonLink to={pages.protection} state={{ from: pathname + search }}>
          {text.go}
        </ButtonLink>
        <ButtonLink kind="text" to={pages.user}>
          {text.toUser}
        </ButtonLink>
      </Empty>
    </Frame>
  )
}
