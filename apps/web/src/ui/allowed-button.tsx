import type { ComponentProps } from 'react'
import { Button } from './button.tsx'
import { showToast } from './toast.tsx'

type Props = Omit<ComponentProps<typeof Button>, 'refused'> & {
  /** Why it can't be pressed. */
  refused: string | undefined
}

/** One that can't be pressed keeps its place among the keys and says why: to the pointer, to screen readers, to a finger. */
export function AllowedButton({ refused, onClick, ...rest }: Props) {
  if (refused === undefined) return <Button {...rest} onClick={onClick} />
  return (
    <Button {...rest} refused title={refused} aria-description={refused} onClick={() => showToast('bad', refused)} />
  )
}
