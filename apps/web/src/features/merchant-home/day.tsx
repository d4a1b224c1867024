import './day.css'
import type { MerchantHome } from '@hufu/contract/statistics'
import { Button } from '../../ui/button.tsx'
import { HomeAttention } from './attention.tsx'
import { HomeFigures } from './figures.tsx'
import { useMerchantHomeText } from './merchant-home.text.ts'
import { HomeWaiting } from './waiting.tsx'

export interface DayProps {
  /** Undefined until loaded: a skeleton is shown. */
  home: MerchantHome | undefined
  now: number
}

/** The day at a glance: problems, waiting users, figures. */
export function MerchantDay({ home, now }: DayProps) {
  const loose = home?.looseClients ?? []
  return (
    <>
      {home && home.attention.length + loose.length > 0 && (
        <HomeAttention attention={home.attention} loose={loose} now={now} />
      )}
      <div className="day">
        <HomeWaiting home={home} now={now} />
        <HomeFigures home={home} />
      </div>
    </>
  )
}

/** Shown in its place, because an empty card would look like a quiet day. */
export function NoDay({ askAgain }: { askAgain: () => void }) {
  const text = useMerchantHomeText().day
  return (
    <div className="day-failed" role="status">
      <p>{text.failed}</p>
      <Button kind="soft" onClick={askAgain}>
        {text.tryAgain}
      </Button>
    </div>
  )
}
