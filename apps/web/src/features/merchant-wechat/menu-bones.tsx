import '../../ui/waiting.css'
import { useMerchantWechatText } from './merchant-wechat.text.ts'

const widths = [12, 34, 52, 46, 40, 58, 30, 20]

/** The shape of the editor that is still to come. */
export function MenuBones() {
  const text = useMerchantWechatText().menu
  return (
    <div className="card padded menu-bones" role="status" aria-label={text.waiting} aria-busy="true">
      {widths.map((width) => (
        <span className="bone" key={width} style={{ width: `${width}%` }} />
      ))}
    </div>
  )
}
