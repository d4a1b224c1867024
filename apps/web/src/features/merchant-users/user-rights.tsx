import { type MerchantRight, merchantRights } from '@hufu/contract/merchant-rights'
import type { Person } from '@hufu/contract/merchant-users'
import { AllowedButton } from '../../ui/allowed-button.tsx'
import { Card } from '../../ui/card.tsx'
import { useMerchantUsersText } from './merchant-users.text.ts'
import { useAdminRefusal } from './use-refusal.ts'

const rightsOf = ({ permission }: Pick<Person, 'permission'>): MerchantRight[] =>
  merchantRights.filter((right) => permission.MERCHANT?.includes(right))

/** What the user may do in the back-office, in words. */
export function UserRights({ user, onChange }: { user: Person; onChange: (rights: MerchantRight[]) => void }) {
  const text = useMerchantUsersText().user
  const rights = rightsOf(user)
  return (
    <Card title={text.rights}>
      {rights.length === 0 && <p className="person-none">{text.noRights}</p>}
      {rights.length > 0 && (
        <ul className="person-rights">
          {rights.map((right) => (
            <li key={right}>
              <b>{text.rightNames[right]}</b>
              <span>{text.rightHints[right]}</span>
            </li>
          ))}
        </ul>
      )}
      <AllowedButton kind="soft" refused={useAdminRefusal()} onClick={() => onChange(rights)}>
        {text.changeRights}
      </AllowedButton>
    </Card>
  )
}
