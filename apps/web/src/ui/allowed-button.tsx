import type { ComponentProps } from 'react'
import { Button } from './button.tsx'
import { showToast } from './toast.tsx'

type Props = Omit<ComponentProps<typeof Button>, 'refused'> & {
  /** Why it can't be pressed. */
  refused: string | undefined
}

/** A refused button stays focusable and says why: in a tooltip, to screen readers, on tap. */
export function AllowedButton({ refused, onClick, ...rest }: Props) {
  if (refused === undefined) return <Button {...rest} onClick={onClick} />
  return (
    <Button {...rest} refused title={refused} aria-description={refused} onClick={() => showToast('bad', refused)} />
  )
}
