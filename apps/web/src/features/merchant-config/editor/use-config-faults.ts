import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { addedLines, changeCount, diffLines } from '../../../lib/json/line-diff.ts'
import type { EditorFault } from '../../../ui/json-editor/json-marks.ts'
import { checkQuery } from '../config.api.ts'
import { useConfigText } from '../config.text.ts'
import { parseConfig } from './config-parse.ts'

const none: EditorFault[] = []

/** What is wrong with a text: where it isn't JSON that, else what the server would refuse. */
export function useConfigFaults(text: string): EditorFault[] {
  const words = useConfigText()
  const parsed = useMemo(() => parseConfig(text, words), [text, words])
  const { data } = useQuery(checkQuery('config' in parsed ? parsed.config : undefined))
  return useMemo(() => ('fault' in parsed ? [parsed.fault] : (data ?? none)), [parsed, data])
}

/** How many places differ from what was opened, and which lines are new. */
export function useChanges(before: string, text: string) {
  return useMemo(() => {
    const lines = diffLines(before.split('\n'), text.split('\n'))
    return { count: changeCount(lines), changed: addedLines(lines) }
  }, [before, text])
}
