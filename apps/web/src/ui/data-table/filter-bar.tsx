import './filter-bar.css'
import { SlidersHorizontal } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useDevice } from '../../lib/device/device.ts'
import { IconButton } from '../button.tsx'
import { useDataTableText } from './data-table.text.ts'

interface Props {
  /** What is always there. */
  first: ReactNode
  /** Some of the others is in use, so that they are shown at once. */
  inUse: boolean
  children: ReactNode
}

/** Search and filters of a table; on phones all but the first are behind a button. */
export function FilterBar({ first, inUse, children }: Props) {
  const text = useDataTableText().table
  const roomy = useDevice(({ width }) => width >= 768)
  const [open, setOpen] = useState(inUse)
  return (
    <div className="filter-bar">
      {first}
      {!roomy && (
        <IconButton label={text.filters} aria-expanded={open} onClick={() => setOpen(!open)}>
          <SlidersHorizontal />
        </IconButton>
      )}
      {(roomy || open) && children}
    </div>
  )
}
