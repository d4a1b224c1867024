import type { Person } from '@hufu/contract/merchant-users'
import { AllowedButton } from '../../ui/allowed-button.tsx'
import { Card } from '../../ui/card.tsx'
import { useMerchantUsersText } from './merchant-users.text.ts'
import { useAdminRefusal, useOthersRefusal } from './use-refusal.ts'
import type { Asking } from './user-dialog.tsx'

interface Props {
  user: Person
  onAsk: (asking: Asking) => void
}

/** Actions that are hard to undo, apart from the rest. */
export function UserActions({ user, onAsk }: Props) {
  const text = useMerchantUsersText().user
  const { id, status } = user
  const refused = useOthersRefusal(id)
  const active = status === 'active'
  return (
    <Card title={text.danger}>
      <ul className="person-acts">
        <Act
          name={active ? text.disable : text.enable}
          hint={active ? text.disableHint : text.enableHint}
          danger={active}
          refused={refused}
          onPress={() => onAsk({ what: active ? 'disabled' : 'active' })}
        />
        <Act
          name={text.signOut}
          hint={text.signOutHint}
          danger
          refused={useAdminRefusal()}
          onPress={() => onAsk({ what: 'signOut' })}
        />
        <Act
          name={text.release}
          hint={text.releaseHint}
          danger
          refused={refused ?? whyKept(user, text)}
          onPress={() => onAsk({ what: 'release', reason: '' })}
        />
        {isOperator(user) && (
          <Act
            name={text.resetFactors}
            hint={hasFactors(user) ? text.resetFactorsHint : text.noFactors}
            danger
            refused={refused}
            onPress={() => onAsk({ what: 'factors', reason: '' })}
          />
        )}
      </ul>
    </Card>
  )
}

const isOperator = ({ permission }: Person) => Boolean(permission.MERCHANT?.length)
const hasFactors = ({ factors: { passkeys, totp } }: Person) => totp || passkeys > 0

function whyKept({ mobile, releasable }: Person, text: { noMobile: string; notReleasable: string }) {
  if (mobile === null) return text.noMobile
  return releasable ? undefined : text.notReleasable
}

interface ActProps {
  name: string
  hint: string
  danger: boolean
  refused: string | undefined
  onPress: () => void
}

/** A refusal replaces the hint. */
function Act({ name, hint, danger, refused, onPress }: ActProps) {
  return (
    <li>
      <p>{refused ?? hint}</p>
      <AllowedButton kind={danger ? 'danger' : 'soft'} refused={refused} onClick={onPress}>
        {name}
      </AllowedButton>
    </li>
  )
}
