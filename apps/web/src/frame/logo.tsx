import { initialOf } from '../lib/device/initial.ts'
import { usePicture } from '../lib/device/use-picture.ts'
import { useSite } from '../site/site.store.ts'

/** The site's icon, or a tile with the first character of its name. Always beside the name, so it says nothing itself. */
export function Logo({ size = '' }: { size?: '' | 'small' }) {
  const name = useSite((site) => site.name)
  const { shown, onError } = usePicture(useSite((site) => site.logoIcon))
  if (shown) return <img className={`logo ${size}`} src={shown} alt="" onError={onError} />
  return (
    <span className={`logo tile ${size}`} aria-hidden="true">
      {initialOf(name)}
    </span>
  )
}

/** Who this page belongs to: the site's wordmark where it has one, else icon and name. */
export function SiteName({ size = '' }: { size?: '' | 'small' }) {
  const name = useSite((site) => site.name)
  const { shown, onError } = usePicture(useSite((site) => site.logoImage))
  if (shown) return <img className="wordmark" src={shown} alt={name} onError={onError} />
  return (
    <>
      <Logo size={size} />
      <span className="site-name">{name}</span>
    </>
  )
}
