import '../../ui/badge.css'
import './security-page.css'
import { pages } from '@hufu/contract/pages'
import type { OwnSecurityEntry } from '@hufu/contract/security'
import { useQuery } from '@tanstack/react-query'
import { CloudOff, Globe, History, ShieldAlert, ShieldCheck } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Frame } from '../../frame/frame.tsx'
import { useNow } from '../../lib/time/use-now.ts'
import { dayName } from '../../lib/time/when.ts'
import { useAskAgain } from '../../lib/use-ask-again.ts'
import { useUser } from '../../session/profile.api.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ExplainedRow } from '../../ui/explained-row.tsx'
import { Pager } from '../../ui/pager.tsx'
import { byDay } from './days.ts'
import { DisownDialog, type Disowning } from './disown-dialog.tsx'
import { historyQuery } from './security.api.ts'
import { useSecurityText } from './security.text.ts'
import { SecurityEvent } from './security-event.tsx'
import { SecurityEventBones } from './security-event-bones.tsx'

const top = 20

export default function SecurityPage() {
  const text = useSecurityText().history
  const { user } = useUser()
  const { entries, limited, page, pageCount, goTo, trouble, askAgain } = useHistoryPages(user?.id ?? '')
  const [disowning, setDisowning] = useState<Disowning>()
  return (
    <Frame title={text.title}>
      <p className="page-lead">
        {text.lead}
        {limited !== undefined && <span>{text.limited(limited)}</span>}
      </p>
      {user && <SettingRows on={user.protected} />}
      {trouble && (
        <Empty icon={CloudOff} message={trouble}>
          <Button kind="soft" onClick={askAgain}>
            {text.tryAgain}
          </Button>
        </Empty>
      )}
      {!entries && !trouble && <SecurityEventBones />}
      {entries?.length === 0 && <Empty icon={History} message={text.empty} />}
      {entries && <Days entries={entries} onDisown={setDisowning} />}
      <Pager page={page} pages={pageCount} onPage={goTo} />
      {disowning && <DisownDialog session={disowning} onCancel={() => setDisowning(undefined)} />}
    </Frame>
  )
}

/** What keeps others out, and who is let in, stands above what happened. */
function SettingRows({ on }: { on: boolean }) {
  const { protection: text, authorizations } = useSecurityText()
  return (
    <Card rows>
      <ExplainedRow
        icon={on ? ShieldCheck : ShieldAlert}
        name={text.title}
        line={text.line}
        value={on ? text.on : text.off}
        unset={!on}
        to={pages.protection}
      />
      <ExplainedRow
        icon={Globe}
        name={authorizations.title}
        line={authorizations.line}
        value=""
        to={pages.authorizations}
      />
    </Card>
  )
}

interface DaysProps {
  entries: OwnSecurityEntry[]
  onDisown: (session: Disowning) => void
}

function Days({ entries, onDisown }: DaysProps) {
  const { when } = useSecurityText()
  const now = useNow()
  return byDay(entries, (time) => dayName(time, now, when)).map((day) => (
    <Card key={day.name} title={day.name} rows>
      <ul>
        {day.entries.map((entry) => (
          // Failures of one kind from one address have the same id at every minute.
          <SecurityEvent key={entry.id} entry={entry} onDisown={() => entry.session && onDisown(entry.session)} />
        ))}
      </ul>
    </Card>
  ))
}

function useHistoryPages(userId: string) {
  const [page, setPage] = useState(1)
  const query = historyQuery(userId, { top, skip: (page - 1) * top })
  const { data, failureReason, isPlaceholderData } = useQuery(query)
  const trouble = data && !isPlaceholderData ? undefined : failureReason?.message
  const pageCount = Math.ceil((data?.count ?? 0) / top)
  // Old entries expire, and with them the last page.
  const last = data && !isPlaceholderData ? Math.max(pageCount, 1) : page
  useEffect(() => {
    if (page > last) setPage(last)
  }, [page, last])
  return {
    // Entries of the former page don't hide the error of this one.
    entries: trouble ? undefined : data?.data,
    limited: data?.more ? data.count : undefined,
    page,
    pageCount,
    goTo: (wanted: number) => {
      setPage(wanted)
      window.scrollTo(0, 0)
    },
    trouble,
    askAgain: useAskAgain(query.queryKey),
  }
}
