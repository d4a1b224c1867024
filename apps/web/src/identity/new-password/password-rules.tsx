import './password-rules.css'
import {
  type PasswordProblem,
  passwordLength,
  passwordMessages,
  passwordProblems,
  passwordSymbols,
} from '@hufu/contract/account-rules'
import { Circle, CircleCheck, CircleX } from 'lucide-react'
import { useNewPasswordText } from './new-password.text.ts'

export interface TypedPassword {
  password: string
  repeated: string
}

type Look = 'open' | 'kept' | 'broken'

const icons = { open: Circle, kept: CircleCheck, broken: CircleX }
const rules = Object.keys(passwordMessages) as PasswordProblem[]

/** How a rule looks at this moment. A rule that further typing can still meet isn't shown as broken. */
export function lookOf(rule: PasswordProblem, { password, repeated }: TypedPassword): Look {
  const typed = rule === 'mismatch' ? repeated : password
  if (typed === '') return 'open'
  if (!passwordProblems(password, repeated).includes(rule)) return 'kept'
  if (rule === 'mismatch') return password.startsWith(repeated) ? 'open' : 'broken'
  const lost = rule === 'symbols' || password.length > passwordLength.most
  return lost || repeated !== '' ? 'broken' : 'open'
}

/** The password rules, each with its present state. */
export function PasswordRules({ typed }: { typed: TypedPassword }) {
  const text = useNewPasswordText()
  const differs = typed.repeated !== '' && typed.repeated !== typed.password
  const wordsOf = (rule: PasswordProblem) => {
    if (rule === 'mismatch') return differs ? passwordMessages.mismatch : text.match
    if (rule !== 'symbols') return passwordMessages[rule]
    return (
      <>
        {passwordMessages.symbols.slice(0, -passwordSymbols.length)}
        <span className="symbols">{passwordSymbols}</span>
      </>
    )
  }
  return (
    <ul className="rules" aria-label={text.rules}>
      {rules.map((rule) => {
        const look = lookOf(rule, typed)
        const Icon = icons[look]
        return (
          <li key={rule} className={look}>
            <Icon />
            <span>
              {wordsOf(rule)}
              <span className="unseen">{look === 'kept' ? text.met : text.unmet}</span>
            </span>
          </li>
        )
      })}
    </ul>
  )
}
