import '../../ui/card.css'
import './merchant-home-page.css'
import { pages } from '@hufu/contract/pages'
import { ScrollText } from 'lucide-react'
import { useId } from 'react'
import { Link } from 'react-router'
import { MerchantFrame } from '../../frame/merchant-frame.tsx'
import { useSideListText } from '../../frame/side-list.text.ts'
import { dayInChina } from '../../lib/time/china-time.ts'
import { useNow } from '../../lib/time/use-now.ts'
import { MerchantDay, NoDay } from './day.tsx'
import { useMerchantHome } from './merchant-home.api.ts'
import { useMerchantHomeText } from './merchant-home.text.ts'
import { MerchantHomeRow, type RowProps } from './row.tsx'
import { countedText, managementRows, serviceRows } from './rows.ts'

/** The day, and the pages of the back-office. The links work even while the figures are missing. */
export default function MerchantHomePage() {
  const text = useMerchantHomeText()
  const office = useSideListText()
  const now = useNow()
  const { home, failing, askAgain } = useMerchantHome()
  const known = { home, now, text, office, waiting: !home && !failing }
  return (
    <MerchantFrame title={text.home.title}>
      <div className="merchant-home">
        <Lead waiting={home?.waiting} now={now} />
        {home || !failing ? <MerchantDay home={home} now={now} /> : <NoDay askAgain={askAgain} />}
        <div className="merchant-cards">
          <HomeCard title={office.service} rows={serviceRows(known)} />
          <HomeCard title={office.management} rows={managementRows(known)} />
        </div>
        <Link className="merchant-log" to={pages.merchantLog}>
          <ScrollText />
          {office.log}
        </Link>
      </div>
    </MerchantFrame>
  )
}

function Lead({ waiting, now }: { waiting: number | undefined; now: number }) {
  const { home: text, when } = useMerchantHomeText()
  const { month, date, weekday } = dayInChina(now)
  return (
    <p className="merchant-lead">
      {text.today(when.date(month, date), text.weekdays[weekday] ?? '')}
      {waiting !== undefined && (waiting > 0 ? text.waiting(countedText(waiting)) : text.noneWaiting)}
    </p>
  )
}

function HomeCard({ title, rows }: { title: string; rows: RowProps[] }) {
  const heading = useId()
  return (
    <section className="card rows" aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      {rows.map((row) => (
        <MerchantHomeRow key={row.to} {...row} />
      ))}
    </section>
  )
}
