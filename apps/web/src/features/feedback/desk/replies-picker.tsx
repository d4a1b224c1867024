import './replies.css'
import type { QuickReply } from '@hufu/contract/feedback-desk'
import { useState } from 'react'
import type { Written } from '../compose/compose.tsx'
import { useDeskText } from './desk.text.ts'
import { RepliesForm } from './replies-form.tsx'
import { RepliesManage } from './replies-manage.tsx'
import { RepliesPick } from './replies-pick.tsx'
import { RepliesSheet } from './replies-sheet.tsx'
import { replyOf } from './reply-box.ts'

interface Props {
  box: Written
  /** Why nothing may be inserted or changed. */
  refused: string | undefined
  onPick: (text: string) => void
  onClose: () => void
}

type View = 'pick' | 'manage' | { reply: Partial<QuickReply>; from: 'pick' | 'manage' }

/** Answers kept ready: to choose from, and to keep in order. */
export default function RepliesPicker({ box, refused, onPick, onClose }: Props) {
  const text = useDeskText().replies
  const [view, setView] = useState<View>('pick')
  const [searched, setSearched] = useState('')
  const [anchor] = useState(() => box.area.current?.form)
  const back = view === 'pick' ? undefined : () => setView(typeof view === 'object' ? view.from : 'pick')
  const title =
    view === 'pick'
      ? text.title
      : view === 'manage'
        ? text.manageTitle
        : view.reply.id === undefined
          ? text.add
          : text.changeTitle
  return (
    <RepliesSheet title={title} anchor={anchor} back={back} onClose={onClose}>
      {view === 'pick' && (
        <RepliesPick
          search={searched}
          onSearch={setSearched}
          refused={refused}
          draft={replyOf(box.area.current?.value ?? '').trim()}
          onPick={onPick}
          onManage={() => setView('manage')}
          onAdd={(reply) => setView({ reply, from: 'pick' })}
        />
      )}
      {view === 'manage' && <RepliesManage onEdit={(reply) => setView({ reply, from: 'manage' })} />}
      {typeof view === 'object' && <RepliesForm reply={view.reply} onDone={() => setView(view.from)} />}
    </RepliesSheet>
  )
}
