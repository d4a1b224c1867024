import './merchant-wechat.css'
import { pages } from '@hufu/contract/pages'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import { MerchantFrame } from '../../frame/merchant-frame.tsx'
import { useKeptInput } from '../../identity/step-up/kept-input.ts'
import { useLeaveGuard } from '../../lib/history/use-leave-guard.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { MerchantMenu } from './menu.tsx'
import { useMerchantWechatText } from './merchant-wechat.text.ts'
import { MerchantMessage } from './message.tsx'
import { type MessageDraft, messageFor } from './sending.ts'
import { MerchantToken } from './token.tsx'

/** The unsent message; kept during an identity check. */
interface Drafts {
  menu?: string | undefined
  message: MessageDraft
}

/** The official account in the back-office. Input survives switching tabs. */
export default function MerchantWechatPage() {
  const text = useMerchantWechatText()
  const wanted = useWantedUser()
  const [drafts, setDrafts] = useKeptInput<Drafts>(pages.merchantWechat, () => ({ message: messageFor(wanted) }))
  const { menu, message } = drafts
  return (
    <MerchantFrame title={text.title}>
      <Tabs
        label={text.title}
        tabs={[
          { name: 'token', label: text.tabs.token, content: <MerchantToken /> },
          {
            name: 'menu',
            label: text.tabs.menu,
            content: <MerchantMenu draft={menu} onDraft={(next) => setDrafts((now) => ({ ...now, menu: next }))} />,
          },
          {
            name: 'message',
            label: text.tabs.message,
            content: (
              <MerchantMessage draft={message} onDraft={(next) => setDrafts((now) => ({ ...now, message: next }))} />
            ),
          },
        ]}
      />
      <Unsaved unsaved={menu !== undefined} />
    </MerchantFrame>
  )
}

/** Asks before a menu that was changed is lost. */
function Unsaved({ unsaved }: { unsaved: boolean }) {
  const text = useMerchantWechatText().unsaved
  const { asking, stay, leave } = useLeaveGuard(unsaved)
  if (!asking) return null
  return (
    <Dialog danger title={text.title} go={text.go} onGo={leave} onCancel={stay}>
      {text.message}
    </Dialog>
  )
}

/** The receiver named in the address; it opens the tab and is removed from the address. */
function useWantedUser(): string | null {
  const [search, setSearch] = useSearchParams()
  const [user] = useState(() => search.get('user'))
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, of the address the page was opened with
  useEffect(() => {
    if (user !== null) setSearch({ tab: 'message' }, { replace: true })
  }, [])
  return user
}
