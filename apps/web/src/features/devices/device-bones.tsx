import '../../ui/waiting.css'
import { useDevicesText } from './devices.text.ts'

const widths = [
  [46, 62, 30],
  [52, 58, 34],
  [44, 60, 28],
]

/** The shape of the cards that are still to come. */
export function DeviceBones() {
  const text = useDevicesText().devices
  return (
    <div className="devices" role="status" aria-label={text.waiting} aria-busy="true">
      {widths.map((lines) => (
        <div className="card device" key={lines.join()}>
          <span className="bone device-icon" />
          <div className="device-facts bones">
            {lines.map((width) => (
              <span className="bone" key={width} style={{ width: `${width}%` }} />
            ))}
          </div>
        </div>
      ))}
    </div>
  )
}
