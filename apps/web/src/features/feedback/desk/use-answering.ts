import type { Colleague } from '@hufu/contract/feedback-desk'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useUser } from '../../../session/profile.api.ts'
import { deskKey } from '../feedback.api.ts'
import { reportAnswering } from './desk.api.ts'

/** Repeated before it expires on the server; the response lists the other operators. */
const every = 8_000
/** After a longer pause the operator no longer counts as writing. */
const pauseMost = 10_000

/** Undefined only reads. Sent as "not writing", a second tab would end the presence of the first. */
type Writing = boolean | undefined

const send = (id: string, writing: Writing, keepalive = false) => reportAnswering(id, writing, keepalive)

/** Sent one after the other: the end must not overtake the start. */
function inTurn() {
  let last: Promise<unknown> = Promise.resolve()
  return <Result>(run: () => Promise<Result>): Promise<Result> => {
    const result = last.then(run)
    last = result.catch(() => undefined)
    return result
  }
}

/** The end of writing is sent once. */
async function sync(id: string, writing: { current: Writing }): Promise<Colleague[]> {
  const { current } = writing
  const others = await send(id, current)
  if (current === false && writing.current === false) writing.current = undefined
  return others
}

/** Reports whether this operator is writing a reply, and returns who else is. */
export function useAnswering(id: string): { others: Colleague[]; onWritten: (written: string) => void } {
  const userId = useUser().user?.id ?? ''
  const writing = useRef<Writing>(undefined)
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [turn] = useState(inTurn)
  const { data, isError, refetch } = useQuery({
    queryKey: [...deskKey(userId, id), 'answering'],
    queryFn: () => turn(() => sync(id, writing)),
    refetchInterval: every,
    staleTime: 0,
    retry: false,
  })
  const report = useCallback(
    (now: boolean) => {
      if (Boolean(writing.current) === now) return
      writing.current = now
      void refetch()
    },
    [refetch],
  )
  const onWritten = useCallback(
    (written: string) => {
      clearTimeout(pause.current)
      report(written.trim() !== '')
      pause.current = setTimeout(() => report(false), pauseMost)
    },
    [report],
  )
  useLeaving((closed) => {
    clearTimeout(pause.current)
    const isReported = writing.current === undefined
    writing.current = undefined
    if (isReported) return
    const end = () => send(id, false, closed)
    void (closed ? end() : turn(end)).catch(() => undefined)
  })
  return { others: isError ? [] : (data ?? []), onWritten }
}

/** Also when the page as a whole is closed: then there is no time to wait for anything. */
function useLeaving(leave: (closed: boolean) => void) {
  const latest = useRef(leave)
  latest.current = leave
  useEffect(() => {
    const onHide = () => latest.current(true)
    window.addEventListener('pagehide', onHide)
    return () => {
      window.removeEventListener('pagehide', onHide)
      latest.current(false)
    }
  }, [])
}
