import './statistics-page.css'
import type { Statistics } from '@hufu/contract/statistics'
import { windows } from '@hufu/contract/statistics-rules'
import { CloudOff } from 'lucide-react'
import { MerchantFrame } from '../../frame/merchant-frame.tsx'
import { clockInChina } from '../../lib/time/china-time.ts'
import { Empty } from '../../ui/empty.tsx'
import { CurveCard } from './curve-card.tsx'
import { FunnelCard } from './funnel-card.tsx'
import { SmsCard } from './sms-card.tsx'
import { useStatistics } from './statistics.api.ts'
import { useStatisticsText } from './statistics.text.ts'
import { TotalCard } from './total-card.tsx'
import { WindowCard } from './window-card.tsx'

export default function StatisticsPage() {
  const text = useStatisticsText().statistics
  const { statistics, failing } = useStatistics()
  return (
    <MerchantFrame title={text.title} aside={statistics && <Freshness time={statistics.time} failing={failing} />}>
      {!statistics && failing ? (
        <Empty icon={CloudOff} message={text.unreachable} />
      ) : (
        <Cards statistics={statistics} />
      )}
    </MerchantFrame>
  )
}

function Freshness({ time, failing }: { time: number; failing: boolean }) {
  const text = useStatisticsText().statistics
  const clock = clockInChina(time)
  return failing ? (
    <p className="fresh failing">
      <CloudOff />
      {text.stopped(clock)}
    </p>
  ) : (
    <p className="fresh">{text.upTo(clock)}</p>
  )
}

/** All cards are there from the start, with skeletons until the data is loaded. */
function Cards({ statistics }: { statistics: Statistics | undefined }) {
  return (
    <div className="figures" aria-busy={statistics === undefined}>
      <div className="figures-row">
        <TotalCard statistics={statistics} />
        <CurveCard />
      </div>
      <div className="figures-row">
        {windows.map((window) => (
          <WindowCard key={window} window={window} statistics={statistics} />
        ))}
      </div>
      <div className="figures-row">
        <FunnelCard funnel={statistics?.funnel} />
        <SmsCard sms={statistics?.sms} />
      </div>
    </div>
  )
}
