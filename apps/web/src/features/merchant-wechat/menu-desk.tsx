import '../../ui/fields/field.css'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { mayMerchant } from '../../frame/navigation.ts'
import { isCheckOwed, useAskCheck } from '../../identity/step-up/two-factor.api.ts'
import { useLast } from '../../lib/use-last.ts'
import { useUser } from '../../session/profile.api.ts'
import { AllowedButton } from '../../ui/allowed-button.tsx'
import { Button } from '../../ui/button.tsx'
import { JsonEditor } from '../../ui/json-editor/json-editor.tsx'
import { Notice } from '../../ui/notice.tsx'
import { showToast } from '../../ui/toast.tsx'
import { Diagnosis } from './diagnosis.tsx'
import { ReloadDialog, SaveDialog } from './menu-dialogs.tsx'
import { MenuPreview } from './menu-preview.tsx'
import { exampleMenu, isEmptyMenu, readMenu, writeMenu } from './menu-text.ts'
import { changeMenu, menuQuery } from './merchant-wechat.api.ts'
import { useMerchantWechatText } from './merchant-wechat.text.ts'

interface Props {
  menu: Record<string, unknown>
  draft: string | undefined
  onDraft: (draft: string | undefined) => void
  reloading: boolean
  onReload: () => Promise<void>
}

const none: [] = []

/** The editor beside the menu as it will look. */
export function MenuDesk({ menu, draft, onDraft, reloading, onReload }: Props) {
  const text = useMerchantWechatText()
  const saved = useMemo(() => writeMenu(menu), [menu])
  const written = draft ?? saved
  const { data, faults } = useMemo(() => readMenu(written, text.menu), [written, text.menu])
  const [asking, setAsking] = useState<'save' | 'reload'>()
  const save = useSave(() => onDraft(undefined))
  const shown = useLast(data)
  const write = (value: string) => onDraft(value === saved ? undefined : value)
  const done = () => setAsking(undefined)
  const reload = () => void onReload().then(done)
  const press = () => {
    if (!data) showToast('bad', text.jsonBroken)
    else if (faults.length > 0) showToast('bad', text.menu.invalid)
    else setAsking('save')
  }
  // An editor that is still empty has no error yet.
  const blank = draft === undefined && isEmptyMenu(menu)
  return (
    <div className="wechat-form">
      <section className="card padded">
        {blank && <Blank onExample={() => write(writeMenu(exampleMenu(window.location.origin)))} />}
        <Diagnosis error={isCheckOwed(save.error) ? null : save.error} />
        <div className="json-frame">
          <JsonEditor label={text.menu.editor} value={written} faults={blank ? none : faults} onChange={write} />
        </div>
        <p className="hint">{text.menu.rules}</p>
        <MenuActs
          changed={draft !== undefined}
          reloading={reloading}
          onFormat={() => (data ? write(writeMenu(data)) : showToast('bad', text.jsonBroken))}
          onReload={() => (draft === undefined ? reload() : setAsking('reload'))}
          onSave={press}
        />
      </section>
      <MenuPreview data={shown} />
      {asking === 'save' && data && (
        <SaveDialog busy={save.isPending} onGo={() => save.mutate(data, { onSettled: done })} onCancel={done} />
      )}
      {asking === 'reload' && <ReloadDialog busy={reloading} onGo={reload} onCancel={done} />}
    </div>
  )
}

type Menu = Props['menu']

/** Afterwards the saved menu is the one of WeChat. */
function useSave(onSaved: () => void) {
  const text = useMerchantWechatText().menu
  const client = useQueryClient()
  const { queryKey } = menuQuery(useUser().user?.id ?? '')
  const askCheck = useAskCheck()
  return useMutation({
    mutationFn: (data: Menu) => changeMenu({ data }),
    onSuccess: (_, data) => {
      client.setQueryData(queryKey, data)
      onSaved()
      showToast('good', text.saved)
    },
    onError: (failure) => (isCheckOwed(failure) ? askCheck() : showToast('bad', failure.message)),
  })
}

interface ActsProps {
  changed: boolean
  reloading: boolean
  onFormat: () => void
  onReload: () => void
  onSave: () => void
}

function MenuActs({ changed, reloading, onFormat, onReload, onSave }: ActsProps) {
  const text = useMerchantWechatText()
  const { user } = useUser()
  const refused = mayMerchant(user?.permission, 'WRITE') ? undefined : text.notAllowed
  return (
    <div className="card-acts">
      <span className="hint" role="status">
        {refused ?? (changed && text.menu.changed)}
      </span>
      <Button kind="quiet" busy={reloading} onClick={onReload}>
        {text.menu.reload}
      </Button>
      <Button kind="quiet" onClick={onFormat}>
        {text.menu.format}
      </Button>
      <AllowedButton refused={refused} onClick={onSave}>
        {text.menu.save}
      </AllowedButton>
    </div>
  )
}

function Blank({ onExample }: { onExample: () => void }) {
  const text = useMerchantWechatText().menu
  return (
    <div className="menu-blank">
      <Notice>{text.none}</Notice>
      <Button kind="soft" onClick={onExample}>
        {text.example}
      </Button>
    </div>
  )
}
