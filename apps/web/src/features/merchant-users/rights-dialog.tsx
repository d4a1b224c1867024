import { type MerchantRight, merchantRights } from '@hufu/contract/merchant-rights'
import type { Person } from '@hufu/contract/merchant-users'
import { Checkbox } from '../../ui/fields/checkbox.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useMerchantUsersText } from './merchant-users.text.ts'
import { setUserRights, useUserChange } from './user.api.ts'
import { callName } from './user-name.ts'

/** The other rights include READ; removing READ removes them. */
export function tickRight(rights: MerchantRight[], right: MerchantRight, ticked: boolean): MerchantRight[] {
  if (right === 'READ' && !ticked) return []
  const wanted = new Set<MerchantRight>(ticked ? [...rights, right, 'READ'] : rights.filter((each) => each !== right))
  return merchantRights.filter((each) => wanted.has(each))
}

interface Props {
  user: Person
  rights: MerchantRight[]
  onRights: (rights: MerchantRight[]) => void
  onClose: () => void
}

export function RightsDialog({ user, rights, onRights, onClose }: Props) {
  const { user: text, changed } = useMerchantUsersText()
  const { MERCHANT: _, ...others } = user.permission
  const { go, busy, error } = useUserChange(user.id, {
    make: () => setUserRights({ id: user.id, actions: rights }),
    becomes: { permission: rights.length > 0 ? { ...others, MERCHANT: rights } : others },
    onDone: () => {
      showToast('good', changed)
      onClose()
    },
  })
  return (
    <FormDialog
      title={text.rightsTitle}
      lead={text.rightsLead(callName(user))}
      go={text.rightsGo}
      busy={busy}
      error={error}
      onGo={go}
      onCancel={onClose}
    >
      <div className="rights-ticks">
        {merchantRights.map((right) => (
          <Checkbox
            key={right}
            checked={rights.includes(right)}
            onChange={(ticked) => onRights(tickRight(rights, right, ticked))}
          >
            <b>{text.rightNames[right]}</b>
            {text.rightHints[right]}
          </Checkbox>
        ))}
      </div>
    </FormDialog>
  )
}
