import type { SavedConfig } from '@hufu/contract/merchant-config'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { useNow } from '../../../lib/time/use-now.ts'
import { whenOf } from '../../../lib/time/when.ts'
import { AllowedButton } from '../../../ui/allowed-button.tsx'
import { Button } from '../../../ui/button.tsx'
import { Skeleton } from '../../../ui/waiting.tsx'
import { historyQuery, textOf, versionQuery } from '../config.api.ts'
import { useConfigText } from '../config.text.ts'
import { ReviewDialog } from '../editor/config-dialogs.tsx'

interface Props {
  /** The version in use and what it says. */
  present: { version: number; text: string }
  /** Why nothing can be restored now. */
  refused: string | undefined
  busy: boolean
  onRestore: (version: number) => void
}

/** Who saved what when; each version can be looked at and taken back to. */
export function ConfigHistory({ present, refused, busy, onRestore }: Props) {
  const text = useConfigText()
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(historyQuery)
  const [opened, setOpened] = useState<{ version: number; restore: boolean }>()
  const versions = data?.pages.flatMap((page) => page.data)
  const close = () => setOpened(undefined)
  return (
    <section className="card versions" aria-label={text.history}>
      <h2>{text.history}</h2>
      {!versions && <Skeleton label={text.waiting} rows={3} />}
      {versions?.map((saved) => (
        <Version
          key={saved.version}
          saved={saved}
          inUse={saved.version === present.version}
          refused={refused}
          onOpen={(restore) => setOpened({ version: saved.version, restore })}
        />
      ))}
      {hasNextPage && (
        <Button kind="text" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {text.more}
        </Button>
      )}
      {opened?.restore && (
        <Restoring version={opened.version} present={present.text} busy={busy} onGo={onRestore} onClose={close} />
      )}
      {opened && !opened.restore && <Looking version={opened.version} onClose={close} />}
    </section>
  )
}

interface VersionProps {
  saved: SavedConfig
  inUse: boolean
  refused: string | undefined
  onOpen: (restore: boolean) => void
}

function Version({ saved: { version, time, by, restored }, inUse, refused, onOpen }: VersionProps) {
  const text = useConfigText()
  const now = useNow()
  const facts = [whenOf(time, now, text.when), by ?? text.server, ...(restored ? [text.restored(restored)] : [])]
  return (
    <div className="version">
      <button type="button" className="version-look" aria-haspopup="dialog" onClick={() => onOpen(false)}>
        <span>
          <b>{text.version(version)}</b>
          {inUse && <span className="badge good">{text.inUse}</span>}
        </span>
        <span>
          {facts.map((fact, at) => (
            <Fragment key={fact}>
              {at > 0 && <span className="mid" />}
              {fact}
            </Fragment>
          ))}
        </span>
      </button>
      {!inUse && (
        <AllowedButton
          kind="quiet"
          refused={refused}
          aria-label={text.restoreThis(version)}
          onClick={() => onOpen(true)}
        >
          {text.restore}
        </AllowedButton>
      )}
    </div>
  )
}

/** What a version changed in the one before it. */
function Looking({ version, onClose }: { version: number; onClose: () => void }) {
  const text = useConfigText()
  const after = useQuery(versionQuery(version)).data
  const before = useQuery({ ...versionQuery(version - 1), enabled: version > 1 }).data
  if (!after || (version > 1 && !before)) return null
  return (
    <ReviewDialog
      title={text.lookTitle(version)}
      before={before ? textOf(before.config) : ''}
      after={textOf(after.config)}
      onCancel={onClose}
    />
  )
}

interface RestoringProps {
  version: number
  present: string
  busy: boolean
  onGo: (version: number) => void
  onClose: () => void
}

function Restoring({ version, present, busy, onGo, onClose }: RestoringProps) {
  const text = useConfigText()
  const { data } = useQuery(versionQuery(version))
  if (!data) return null
  const go = () => {
    onClose()
    onGo(version)
  }
  return (
    <ReviewDialog
      title={text.restoreTitle(version)}
      hint={text.restoreHint}
      before={present}
      after={textOf(data.config)}
      go={text.restore}
      busy={busy}
      onGo={go}
      onCancel={onClose}
    />
  )
}
