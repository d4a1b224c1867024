import './config-page.css'
import { troubleOf } from '../../lib/call/failure.ts'
import '../../ui/badge.css'
import '../../ui/card.css'
import { useQuery } from '@tanstack/react-query'
import { CloudOff } from 'lucide-react'
import { useEffect } from 'react'
import { MerchantFrame } from '../../frame/merchant-frame.tsx'
import { mayMerchant } from '../../frame/navigation.ts'
import { useUser } from '../../session/profile.api.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FormSkeleton } from '../../ui/fields/form-card.tsx'
import { showToast } from '../../ui/toast.tsx'
import { newestQuery } from './config.api.ts'
import { useConfigText } from './config.text.ts'
import { ConfigWorkspace } from './editor/config-workspace.tsx'

export default function ConfigPage() {
  const text = useConfigText()
  const { user } = useUser()
  const mayRead = mayMerchant(user?.permission, 'READ')
  const { data, failureReason, refetch } = useQuery({ ...newestQuery, enabled: mayRead })
  const trouble = troubleOf(failureReason)
  useEffect(() => {
    if (trouble !== undefined) showToast('bad', trouble)
  }, [trouble])
  if (user && mayRead && data)
    return <ConfigWorkspace newest={data} userId={user.id} mayChange={mayMerchant(user.permission, 'ADMIN')} />
  return (
    <MerchantFrame title={text.title}>
      {trouble === undefined ? (
        <FormSkeleton label={text.waiting} />
      ) : (
        <Empty icon={CloudOff} message={trouble}>
          <Button kind="soft" onClick={() => void refetch()}>
            {text.tryAgain}
          </Button>
        </Empty>
      )}
    </MerchantFrame>
  )
}
