import '../../../ui/waiting.css'
import { useAuthorizationsText } from './authorizations.text.ts'

const widths = [
  [38, 52],
  [44, 60],
  [34, 48],
]

/** The shape of the cards that are still to come. */
export function AuthorizationBones() {
  const text = useAuthorizationsText().list
  return (
    <div className="authorizations" role="status" aria-label={text.waiting} aria-busy="true">
      {widths.map(([name, host]) => (
        <div className="card authorization" key={name}>
          <div className="client-line">
            <span className="bone client-mark" />
            <div className="authorization-bones">
              <span className="bone" style={{ width: `${name}%` }} />
              <span className="bone" style={{ width: `${host}%` }} />
            </div>
          </div>
          <span className="bone" style={{ width: '56%' }} />
          <div className="authorization-bones">
            <span className="bone" />
            <span className="bone" />
          </div>
        </div>
      ))}
    </div>
  )
}
