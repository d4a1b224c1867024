import type { LoginMethod } from '@hufu/contract/site'
import { KeyRound, QrCode, Smartphone } from 'lucide-react'
import type { ReactNode } from 'react'
import { useLoginText } from './login.text.ts'

const icons = { mobile: Smartphone, password: KeyRound, wechat: QrCode }

interface Props {
  methods: LoginMethod[]
  onChoose: (way: LoginMethod) => void
  /** The method of the present app (WeChat), before the others. */
  first?: ReactNode
}

/** Buttons of all other methods. */
export function OtherMethods({ methods, onChoose, first }: Props) {
  const text = useLoginText().login
  if (methods.length === 0 && !first) return null
  const words = { mobile: text.byMobile, password: text.byPassword, wechat: text.byWechat }
  return (
    <section className="others" aria-label={text.others}>
      <p aria-hidden="true">{text.others}</p>
      <div className="ways">
        {first}
        {methods.map((method) => {
          const Icon = icons[method]
          return (
            <button key={method} type="button" onClick={() => onChoose(method)}>
              <Icon />
              {words[method]}
            </button>
          )
        })}
      </div>
    </section>
  )
}
