import '../../ui/waiting.css'
import { useSecurityText } from './security.text.ts'

const widths = [
  [44, 72],
  [36, 60],
  [50, 66],
  [40, 56],
]

/** The shape of the entries that are still to come. */
export function SecurityEventBones() {
  const text = useSecurityText().history
  return (
    <div className="card rows" role="status" aria-label={text.waiting} aria-busy="true">
      {widths.map(([name, place]) => (
        <div className="happening" key={name}>
          <span className="bone happening-icon" />
          <div className="happening-bones">
            <span className="bone" style={{ width: `${name}%` }} />
            <span className="bone" style={{ width: `${place}%` }} />
          </div>
        </div>
      ))}
    </div>
  )
}
