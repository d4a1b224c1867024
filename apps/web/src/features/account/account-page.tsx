import './account.css'
import type { ReactNode } from 'react'
import { Frame } from '../../frame/frame.tsx'
import { Checked } from '../../identity/step-up/checked.tsx'
import { useGoBack } from '../../lib/history/go-back.ts'
import { useAccountText } from './account.text.ts'

interface Props {
  title: string
  lead: string
  /** A new browser needs a second kind of proof. */
  second?: boolean
  children: ReactNode
}

/** The frame of a page on which one thing of the account is changed. */
export function AccountPage({ title, lead, children }: Props) {
  const goBack = useGoBack()
  return (
    <Frame title={title} narrow onBack={() => goBack(1)}>
      <p className="page-lead">{lead}</p>
      <Checked>{children}</Checked>
    </Frame>
  )
}

/** What is in force so far. */
export function Current({ label, value }: { label: string; value: string | null | undefined }) {
  const text = useAccountText()
  return (
    <dl className="current">
      <dt>{label}</dt>
      <dd className={value ? undefined : 'none'}>{value || text.notSet}</dd>
    </dl>
  )
}
