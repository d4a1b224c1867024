import './client-mark.css'
import type { ShownClient } from '@hufu/contract/oidc'
import { initialOf } from '../lib/device/initial.ts'
import { usePicture } from '../lib/device/use-picture.ts'

interface Props {
  client: Pick<ShownClient, 'name' | 'logo'>
  size?: 'small' | 'large'
}

/** A client's logo, or the first character of its name. Always beside the name, so it says nothing itself. */
export function ClientMark({ client: { name, logo }, size }: Props) {
  const { shown, onError } = usePicture(logo ?? undefined)
  return (
    <span className={`client-mark${size ? ` ${size}` : ''}${shown ? ' pictured' : ''}`} aria-hidden="true">
      {shown ? <img src={shown} alt="" draggable={false} onError={onError} /> : initialOf(name)}
    </span>
  )
}

/** Who asks: logo, name and host. */
export function ClientLine({ client }: { client: ShownClient }) {
  return (
    <div className="client-line">
      <ClientMark client={client} size="large" />
      <div>
        <b>{client.name}</b>
        {client.host && <small>{client.host}</small>}
      </div>
    </div>
  )
}
