import './attention.css'
import type { Attention } from '@hufu/contract/statistics'
import { ChevronRight, CircleAlert, TriangleAlert } from 'lucide-react'
import { Link } from 'react-router'
import { type AttentionWords, attentionWords, looseWords } from './attention-words.ts'
import { useMerchantHomeText } from './merchant-home.text.ts'

interface Props {
  attention: Attention[]
  /** Names of applications that sign in without PKCE. */
  loose: string[]
  now: number
}

/** What needs an operator's attention, each with a link to act on it. */
export function HomeAttention({ attention, loose, now }: Props) {
  const text = useMerchantHomeText()
  return (
    <div className="attention">
      <h2>{text.day.attention}</h2>
      <ul>
        {attention.map((each) => (
          <Item
            key={'prefix' in each ? `${each.kind} ${each.prefix}` : each.kind}
            words={attentionWords(each, now, text)}
          />
        ))}
        {loose.length > 0 && <Item words={looseWords(loose, text)} />}
      </ul>
    </div>
  )
}

function Item({ words: { bad, what, hint, to, go } }: { words: AttentionWords }) {
  const Icon = bad ? CircleAlert : TriangleAlert
  return (
    <li>
      <Link className="attention-item" to={to}>
        <span className={bad ? 'attention-mark bad' : 'attention-mark'}>
          <Icon />
        </span>
        <span className="attention-what">
          <b>{what}</b>
          <span>{hint}</span>
        </span>
        <span className="attention-go">
          {go}
          <ChevronRight />
        </span>
      </Link>
    </li>
  )
}
