import '../../../ui/other-ways.css'
import type { LoginMethod } from '@hufu/contract/site'
import type { ReactNode } from 'react'
import { useLoginText } from './login.text.ts'
import { loginMethods } from './login-methods.tsx'

interface Props {
  methods: LoginMethod[]
  onChoose: (way: LoginMethod) => void
  /** The method of the present app (WeChat), before the others. */
  first?: ReactNode
  /** Passkeys, which no site can switch off. */
  passkey?: ReactNode
}

/** Buttons of all other methods. */
export function OtherMethods({ methods, onChoose, first, passkey }: Props) {
  const text = useLoginText().login
  if (methods.length === 0 && !first && !passkey) return null
  return (
    <section className="others" aria-label={text.others}>
      <p aria-hidden="true">{text.others}</p>
      <div className="ways">
        {passkey}
        {first}
        {methods.map((method) => {
          const { icon: Icon } = loginMethods[method]
          return (
            <button key={method} type="button" onClick={() => onChoose(method)}>
              <Icon />
              {text.methods[method]}
            </button>
          )
        })}
      </div>
    </section>
  )
}
