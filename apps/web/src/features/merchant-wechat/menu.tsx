import './menu.css'
import { useQuery } from '@tanstack/react-query'
import { useUser } from '../../session/profile.api.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Diagnosis } from './diagnosis.tsx'
import { MenuBones } from './menu-bones.tsx'
import { MenuDesk } from './menu-desk.tsx'
import { menuQuery, useToldTrouble } from './merchant-wechat.api.ts'
import { useMerchantWechatText } from './merchant-wechat.text.ts'

interface Props {
  /** Unsaved text; undefined where it equals WeChat's menu. */
  draft: string | undefined
  onDraft: (draft: string | undefined) => void
}

/** The official account's menu, as WeChat returns it, to be edited. */
export function MerchantMenu({ draft, onDraft }: Props) {
  const text = useMerchantWechatText()
  const { user } = useUser()
  const { data, error, isFetching, refetch } = useQuery(menuQuery(user?.id ?? ''))
  useToldTrouble(error)
  if (data) {
    const reload = async () => {
      const { isSuccess } = await refetch()
      if (isSuccess) onDraft(undefined)
    }
    return <MenuDesk menu={data} draft={draft} onDraft={onDraft} reloading={isFetching} onReload={reload} />
  }
  if (!error) return <MenuBones />
  return (
    <Card>
      <Diagnosis error={error}>
        <Button kind="soft" busy={isFetching} onClick={() => refetch()}>
          {text.tryAgain}
        </Button>
      </Diagnosis>
    </Card>
  )
}
