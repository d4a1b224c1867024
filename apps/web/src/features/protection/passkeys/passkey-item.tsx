import '../../../ui/card.css'
import '../../../ui/explained-row.css'
import './passkeys.css'
import '../../../ui/badge.css'
import type { Passkey } from '@hufu/contract/factors'
import { Fingerprint, Pencil, Trash2 } from 'lucide-react'
import { useNow } from '../../../lib/time/use-now.ts'
import { dayName, whenOf } from '../../../lib/time/when.ts'
import { IconButton } from '../../../ui/button.tsx'
import { useProtectionText } from '../protection.text.ts'

interface Props {
  passkey: Passkey
  onRename: () => void
  /** Left out where it must stay. */
  onRemove: (() => void) | undefined
}

export function PasskeyItem({ passkey: { name, created, lastUsed, synced }, onRename, onRemove }: Props) {
  const { passkeys: text, when } = useProtectionText()
  const now = useNow()
  return (
    <li className="row passkey">
      <Fingerprint />
      <span className="name">
        <b>
          {name}
          {synced && <span className="badge">{text.synced}</span>}
        </b>
        <small>
          {lastUsed === null ? text.unused(dayName(created, now, when)) : text.lastUsed(whenOf(lastUsed, now, when))}
        </small>
      </span>
      <IconButton label={text.renameOf(name)} onClick={onRename}>
        <Pencil />
      </IconButton>
      {onRemove && (
        <IconButton label={text.removeOf(name)} onClick={onRemove}>
          <Trash2 />
        </IconButton>
      )}
    </li>
  )
}
