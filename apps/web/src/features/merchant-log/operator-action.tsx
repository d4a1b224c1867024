import './log-page.css'
import { referenceOf } from '@hufu/contract/feedback-rules'
import { shortId } from '@hufu/contract/merchant-rights'
import type { OperatorAction, OperatorEntry } from '@hufu/contract/operators'
import { pages } from '@hufu/contract/pages'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useFeedbackText } from '../feedback/feedback.text.ts'
import { useLogText } from './log.text.ts'

type Named = { id: string; name: string | null }

/** Who did what to whom, as a sentence; each name links to the user. */
export function OperatorActionLine({ entry }: { entry: OperatorEntry }) {
  const text = useLogText().log
  const { person, action, target } = entry
  const sentence = text.sentences[action as OperatorAction] ?? text.other
  const [before, after] = sentence.split('*')
  return (
    <span className="operator-action">
      <Actor entry={entry} /> {before}
      {person && <Who user={person} />}
      {feedbackActions.includes(action) && target && <FeedbackLink id={target} />}
      {after}
    </span>
  )
}

const feedbackActions = ['feedback.status', 'feedback.reply']

/** An operator, a client, or the command line. */
function Actor({ entry: { operator, by, client } }: { entry: OperatorEntry }) {
  const text = useLogText().log
  if (operator) return <Who user={operator} brief />
  if (client) return <b>{text.client(client.name ?? client.id)}</b>
  return <b>{by ? text.commandLine(by) : text.system}</b>
}

/** With the short id, because names are not unique. */
function Who({ user: { id, name }, brief = false }: { user: Named; brief?: boolean }) {
  const text = useLogText().log
  const called = name ?? text.gone
  return <Link to={pages.merchantUser.replace(':id', id)}>{brief ? called : text.who(called, shortId(id))}</Link>
}

const FeedbackLink = ({ id }: { id: string }) => (
  <Link to={pages.merchantFeedbackItem.replace(':id', id)}>{referenceOf(id)}</Link>
)

/** Further details of an action. */
export function useNote(): (entry: OperatorEntry) => ReactNode {
  const text = useLogText().log
  const statuses = useFeedbackText().status.merchant
  const rights = (given: unknown) =>
    listOf(given)
      .map((right) => text.rights[right] ?? right)
      .join('、') || text.noRights
  const counted = (count: unknown, words: (count: number) => string) => (typeof count === 'number' ? words(count) : '')
  const notes: Partial<Record<OperatorAction, (detail: OperatorEntry['detail'], target: string) => string>> = {
    'user.signOut': ({ count }) => counted(count, text.devices),
    'user.releaseMobile': ({ reason }) => (typeof reason === 'string' ? text.reason(reason) : ''),
    'user.resetFactors': ({ reason }) => (typeof reason === 'string' ? text.reason(reason) : ''),
    'user.rights': ({ before, after }) => text.becomes(rights(before), rights(after)),
    'user.reveal': ({ field }) => text.fields[String(field)] ?? '',
    'user.grant': ({ actions }) => rights(actions),
    'user.import': ({ count, refused }) => counted(count, (rows) => text.imported(rows, Number(refused ?? 0))),
    'user.export': ({ count, withHashes }) =>
      [counted(count, text.rows), withHashes === true ? text.withHashes : ''].filter(Boolean).join('，'),
    'user.exportFile': ({ count }) => counted(count, text.rows),
    'client.grant': ({ scopes }, client) =>
      text.granted(
        client,
        listOf(scopes)
          .map((scope) => text.scopes[scope] ?? scope)
          .join('、'),
      ),
    'client.read': ({ count }, path) => counted(count, (times) => text.reads(path, times)),
    'feedback.reply': () => '',
    'feedback.status': ({ status }) => statuses[Number(status)] ?? '',
    'config.save': ({ changed }, version) => [text.version(version), ...listOf(changed)].join(' '),
    'config.restore': ({ restored }) => text.restored(String(restored ?? '')),
  }
  return ({ action, detail, target }) => notes[action as OperatorAction]?.(detail, target ?? '') ?? target ?? ''
}

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])
