import './authorize-error.css'
import { pages } from '@hufu/contract/pages'
import { Copy, ShieldX, TimerOff } from 'lucide-react'
import { useParams, useSearchParams } from 'react-router'
import { Entry } from '../../../frame/entry.tsx'
import { copyText } from '../../../lib/copy-text.ts'
import { usePageTitle } from '../../../lib/use-page-title.ts'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useAuthorizeErrorText } from './authorize-error.text.ts'

/** Anyone can write a link to this page: what isn't a code isn't shown. */
const codeIn = (text: string | undefined) => (/^[a-z_]{1,64}$/.test(text ?? '') ? (text ?? '') : '')
const requestIn = (text: string | null) => (/^[\w-]{1,64}$/.test(text ?? '') ? (text ?? '') : '')

const passing = ['session_not_found', 'expired', 'server_error', 'temporarily_unavailable']

/** Why a client's sign-in ended here and not at the client. */
export default function AuthorizeErrorPage() {
  const text = useAuthorizeErrorText()
  const [search] = useSearchParams()
  const code = codeIn(useParams().code)
  const { title, lead, next } = text.reasonOf(code)
  usePageTitle(title)
  const Icon = passing.includes(code) ? TimerOff : ShieldX
  return (
    <Entry>
      <div className="authorize-error">
        <span>
          <Icon />
        </span>
        <h1>{title}</h1>
        <p>{lead}</p>
      </div>
      <Notice>{next}</Notice>
      <ButtonLink wide to={pages.user}>
        {text.toAccount}
      </ButtonLink>
      <Details code={code} request={requestIn(search.get('id'))} />
    </Entry>
  )
}

/** For the administrator of the client. */
function Details({ code, request }: { code: string; request: string }) {
  const text = useAuthorizeErrorText()
  const facts = [
    { name: text.code, value: code },
    { name: text.request, value: request },
  ].filter(({ value }) => value !== '')
  if (facts.length === 0) return null
  const copy = () =>
    copyText(facts.map(({ name, value }) => `${name}：${value}`).join('\n')).then(
      () => showToast('good', text.copied),
      () => showToast('bad', text.copyFailed),
    )
  return (
    <section className="authorize-details" aria-label={text.details}>
      <dl>
        {facts.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Button kind="text" aria-label={text.copy} onClick={() => void copy()}>
        <Copy />
      </Button>
    </section>
  )
}
