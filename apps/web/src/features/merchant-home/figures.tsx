import '../../ui/fields/field.css'
import '../../ui/change.css'
import './figures.css'
import { ratingMost } from '@hufu/contract/feedback-rules'
import type { MerchantHome } from '@hufu/contract/statistics'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { numberText } from '../../lib/figures.ts'
import { Figure } from '../../ui/figure.tsx'
import { useMerchantHomeText } from './merchant-home.text.ts'
import { countedText } from './rows.ts'

const figures = ['accessed', 'newUsers', 'api'] as const

/** How today goes, against yesterday up to the same hour. */
export function HomeFigures({ home }: { home: MerchantHome | undefined }) {
  const text = useMerchantHomeText().day
  return (
    <div className="day-figures">
      <h2 className="unseen">{text.figures}</h2>
      <dl>
        {figures.map((name) => (
          <div key={name} className="day-tile">
            <dt>{text[name]}</dt>
            <dd>
              <b>
                <Figure value={home?.[name].today} />
              </b>
              {home && <Against {...home[name]} />}
            </dd>
          </div>
        ))}
        {home && home.ratings.average !== null && <Satisfaction {...home.ratings} average={home.ratings.average} />}
      </dl>
    </div>
  )
}

/** In words, so that neither arrow nor colour is needed. */
function Against({ today, yesterday }: { today: number; yesterday: number }) {
  const text = useMerchantHomeText().day
  // As on the statistics page: against nothing there is no comparison.
  if (yesterday === 0)
    return (
      <span className="change">
        <span className="unseen">{text.incomparable}</span>
        <span aria-hidden="true">—</span>
      </span>
    )
  if (today === yesterday) return <span className="change">{text.same}</span>
  const up = today > yesterday
  const Arrow = up ? ArrowUp : ArrowDown
  const apart = numberText(Math.abs(today - yesterday))
  return (
    <span className={up ? 'change up' : 'change down'}>
      <Arrow />
      {up ? text.more(apart) : text.fewer(apart)}
    </span>
  )
}

function Satisfaction({ count, average }: { count: number; average: number }) {
  const text = useMerchantHomeText().day
  return (
    <div className="day-tile">
      <dt>{text.satisfaction}</dt>
      <dd>
        <b>
          {average.toFixed(1)}
          <small>{text.outOf(ratingMost)}</small>
        </b>
        <span className="change">{text.ratings(countedText(count))}</span>
      </dd>
    </div>
  )
}
