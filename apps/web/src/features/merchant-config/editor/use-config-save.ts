import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isCheckOwed, useAskCheck } from '../../../identity/step-up/two-factor.api.ts'
import { CallError } from '../../../lib/call/call.ts'
import { mergeJson } from '../../../lib/json/merge-json.ts'
import { refreshMeta } from '../../../site/refresh-meta.ts'
import { showToast } from '../../../ui/toast.tsx'
import {
  type Config,
  checkConfig,
  historyQuery,
  newestQuery,
  type OpenedConfig,
  restoreConfig,
  textOf,
  updateConfig,
} from '../config.api.ts'
import { useConfigText } from '../config.text.ts'
import { type Draft, draftOf, keepDraft } from './config-draft.ts'
import { parseConfig } from './config-parse.ts'

type Step = { kind: 'review'; config: Config } | { kind: 'conflict'; newest: OpenedConfig }

interface Options {
  userId: string
  draft: Draft
  onDraft: (draft: Draft) => void
  /** The text has faults: they are shown now. */
  onFaults: () => void
}

export type ConfigSaving = ReturnType<typeof useConfigSave>

/** How a text takes effect: it is validated, confirmed, and saved unless another operator saved first. */
export function useConfigSave({ userId, draft, onDraft, onFaults }: Options) {
  const text = useConfigText()
  const askCheck = useAskCheck()
  const fetchNewest = useFetchNewest()
  const [step, setStep] = useState(() => reviewOfKept(draft))

  async function onRefused(error: CallError) {
    setStep(undefined)
    if (isCheckOwed(error)) {
      keepDraft(userId, draft)
      return askCheck()
    }
    const newest = error.code === 'CONFIG_CONFLICT' ? await fetchNewest().catch(() => undefined) : undefined
    if (newest && newest.version !== draft.version) setStep({ kind: 'conflict', newest })
    else showToast('bad', error.message)
  }
  const { busy, attempt } = useAttempt(onRefused)

  function refuse(message: string) {
    onFaults()
    showToast('bad', message)
  }

  async function begin() {
    const parsed = parseConfig(draft.text, text)
    if ('fault' in parsed) return refuse(text.invalid)
    if (textOf(parsed.config) === draft.before) return showToast('good', text.unchanged)
    const faults = await checkConfig({ config: parsed.config })
    if (faults.length > 0) return refuse(text.faulty)
    setStep({ kind: 'review', config: parsed.config })
  }

  /** Fetched again: what was saved is shown as the server returns it, with secrets masked. */
  async function make(change: Promise<unknown>) {
    await change
    setStep(undefined)
    showToast('good', text.changed)
    refreshMeta()
    adopt(draftOf(await fetchNewest()))
  }

  function adopt(next: Draft) {
    setStep(undefined)
    onDraft(next)
  }

  const basedOn = draft.version
  return {
    step,
    busy,
    begin: () => attempt(begin),
    confirm: (config: Config) => attempt(() => make(updateConfig({ config, basedOn }))),
    restore: (version: number) => attempt(() => make(restoreConfig({ version, basedOn }))),
    /** My changes on top of what is newest, to be looked at and saved. */
    goOn: (newest: OpenedConfig) => adopt({ ...draftOf(newest), text: textOf(merged(draft, newest)) }),
    takeOver: (newest: OpenedConfig) => adopt(draftOf(newest)),
    cancel: () => setStep(undefined),
  }
}

/** A draft that differs at the start was kept for the identity check: saving continues. */
function reviewOfKept({ before, text }: Draft): Step | undefined {
  return text === before ? undefined : { kind: 'review', config: JSON.parse(text) as Config }
}

/** Only a text that was right enough to be sent can have met a conflict. */
const merged = ({ before, text }: Draft, { config }: OpenedConfig) =>
  mergeJson(JSON.parse(before) as Config, config, JSON.parse(text) as Config)

function useFetchNewest() {
  const client = useQueryClient()
  return () => {
    void client.invalidateQueries({ queryKey: historyQuery.queryKey })
    return client.fetchQuery(newestQuery)
  }
}

/** Runs one action at a time; any error but the server's is a bug and is rethrown. */
function useAttempt(onRefused: (error: CallError) => Promise<void>) {
  const [busy, setBusy] = useState(false)
  async function run(work: () => Promise<void>) {
    setBusy(true)
    try {
      await work()
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      await onRefused(error)
    } finally {
      setBusy(false)
    }
  }
  return { busy, attempt: (work: () => Promise<void>) => void (busy || run(work)) }
}
