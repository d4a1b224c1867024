import type { LucideIcon } from 'lucide-react'

export interface Point {
  icon: LucideIcon
  name: string
  hint?: string
}

/** A few things worth knowing, one line each. */
export function Points({ points }: { points: Point[] }) {
  return (
    <ul className="points">
      {points.map(({ icon: Icon, name, hint }) => (
        <li key={name}>
          <Icon />
          <span>
            {hint ? <b>{name}</b> : name}
            {hint && <small>{hint}</small>}
          </span>
        </li>
      ))}
    </ul>
  )
}
