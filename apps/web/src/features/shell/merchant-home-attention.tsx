import './merchant-home-attention.css'
import type { Attention } from '@hufu/contract/statistics'
import { ChevronRight, CircleAlert, TriangleAlert } from 'lucide-react'
import { Link } from 'react-router'
import { useStatisticsText } from '../../lib/statistics-text.ts'
import { attentionWords } from './merchant-home-attention-words.ts'

/** What an operator should look after, each leading to where that is done. */
export function HomeAttention({ attention, now }: { attention: Attention[]; now: number }) {
  const text = useStatisticsText()
  return (
    <div className="attention">
      <h2>{text.day.attention}</h2>
      <ul>
        {attention.map((each) => {
          const { bad, what, hint, to, go } = attentionWords(each, now, text)
          const Icon = bad ? CircleAlert : TriangleAlert
          return (
            <li key={'prefix' in each ? `${each.kind} ${each.prefix}` : each.kind}>
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
        })}
      </ul>
    </div>
  )
}
