import type { FeedbackItem } from '@hufu/contract/feedback'
import { listed } from '@hufu/contract/feedback-rules'
import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { unreadKey } from '../../frame/unread.ts'
import { CallError, type CallInput, call } from '../../lib/call/call.ts'
import { isRetryable } from '../../lib/call/is-retryable.ts'
import { type Upload, uploading } from '../../lib/call/upload.ts'
import { useUser } from '../../session/profile.api.ts'
import { showToast } from '../../ui/toast.tsx'
import { hasOlder, joinTalks, knownUpTo, type Side, type Talk, talkOf } from './conversation/talk.ts'

/** Each side has its own endpoints for the same operations. */
const paths = {
  user: {
    read: '/api/user/feedback/read',
    seen: '/api/user/feedback/seen',
    picture: '/api/user/feedback/picture',
  },
  merchant: {
    read: '/api/merchant/feedback/read',
    seen: '/api/merchant/feedback/seen',
    picture: '/api/merchant/feedback/picture',
  },
} as const

export const talkKey = (userId: string, side: Side, id: string) => ['feedback', userId, side, 'talk', id]
export const listKey = (userId: string, side: Side) => ['feedback', userId, side, 'list']
/** The home page of the back-office shows conversations and much else: it is refetched less often than lists. */
export const homeKey = (userId: string) => ['merchant-home', userId]
/** Notes and presence of operators beside a conversation. */
export const deskKey = (userId: string, id: string) => ['feedback', userId, 'merchant', 'desk', id]

const isMissing = (error: unknown) => error instanceof CallError && ['NOT_FOUND', 'INPUT_INVALID'].includes(error.code)

/** Fetches every entry after the known ones, in several requests if needed; at first the newest. */
async function readOn(side: Side, id: string, known: Talk | undefined): Promise<Talk> {
  const { read } = paths[side]
  let talk = known
  do {
    const after = talk && knownUpTo(talk)
    const came = talkOf(await call(read, after === undefined ? { id } : { id, after }))
    talk = joinTalks(talk, came)
    if (after !== undefined && knownUpTo(talk) === after) break
  } while (knownUpTo(talk) < talk.lastSeq)
  return talk
}

/** A refetch asks only for entries after the known ones, so none is lost or repeated. */
function talkQuery(client: QueryClient, userId: string, side: Side, id: string) {
  const queryKey = talkKey(userId, side, id)
  const known = () => client.getQueryData<Talk>(queryKey)
  return queryOptions<Talk>({
    queryKey,
    queryFn: async () => {
      const talk = await readOn(side, id, known())
      // Older entries may have come meanwhile.
      return joinTalks(known(), talk)
    },
    staleTime: 0,
    retry: isRetryable,
  })
}

export function useTalk(side: Side, id: string) {
  const client = useQueryClient()
  const userId = useUser().user?.id ?? ''
  const query = talkQuery(client, userId, side, id)
  const { data, failureReason, error, refetch } = useQuery(query)
  const older = useMutation({
    mutationFn: async () => {
      const first = data?.entries[0]
      if (!first) return
      const came = talkOf(await call(paths[side].read, { id, before: first.seq }))
      client.setQueryData<Talk>(query.queryKey, (known) => known && joinTalks(known, came))
    },
    onError: (error) => showToast('bad', error.message),
  })
  return {
    talk: data,
    missing: isMissing(error) && !data,
    trouble: data ? undefined : failureReason?.message,
    askAgain: () => void refetch(),
    more: data !== undefined && hasOlder(data),
    older,
  }
}

/** Invalidates all cached feedback: visible queries refetch now, others when they are shown next. */
export const refreshFeedback = (client: QueryClient, userId: string) =>
  client.invalidateQueries({ queryKey: ['feedback', userId] })

/**
 * The counts for the navigation; components only read them. A request in flight is cancelled: its response may be older than
 * the event that caused this one.
 */
export async function askUnread(client: QueryClient, userId: string): Promise<void> {
  const queryKey = unreadKey(userId)
  await client.cancelQueries({ queryKey })
  await client
    .fetchQuery({ queryKey, queryFn: () => call('/api/user/feedback/unread'), staleTime: 0, retry: false })
    .catch(() => undefined)
}

/** Records how far this side has read. */
export async function noteSeen(client: QueryClient, userId: string, side: Side, { id, lastSeq }: Talk): Promise<void> {
  await call(paths[side].seen, { id, seq: lastSeq })
  const read = (known: Talk | undefined) => known && { ...known, unread: known.lastSeq > lastSeq }
  client.setQueryData<Talk>(talkKey(userId, side, id), read)
  void client.invalidateQueries({ queryKey: listKey(userId, side) })
  void askUnread(client, userId)
}

/** What a move changes is fetched again, also after a refusal, because then another user was faster. A refusal is shown. */
export function useMove<Input>(move: (input: Input) => Promise<{ id: string }>) {
  const client = useQueryClient()
  const userId = useUser().user?.id ?? ''
  const refresh = () => {
    void refreshFeedback(client, userId)
    void askUnread(client, userId)
  }
  return useMutation({
    mutationFn: move,
    onSuccess: refresh,
    onError: (error) => {
      showToast('bad', error.message)
      if (error instanceof CallError && error.code.startsWith('FEEDBACK_')) refresh()
    },
  })
}

/** Uploads a picture for a later message. */
export const handOver = (side: Side) => (file: Blob, upload: Upload) =>
  call(paths[side].picture, { file }, { send: uploading(upload) })

/** Rates a closed conversation; the stored rating is shown at once. */
export function useRate(id: string) {
  const client = useQueryClient()
  const userId = useUser().user?.id ?? ''
  return useMove(async (thought: { score: number; words: string }) => {
    const rating = await call('/api/user/feedback/rate', { id, ...thought })
    client.setQueryData<Talk>(talkKey(userId, 'user', id), (known) => known && { ...known, rating })
    return { id }
  })
}

interface Before {
  time: number
  id: string
}

interface Answer {
  data: FeedbackItem[]
}

/** How to fetch a list, and which time of a conversation is its cursor. */
interface Asking {
  ask: (before: Before | undefined) => Promise<Answer>
  timeOf: (item: FeedbackItem) => number | null
}

type Pages = FeedbackItem[][]

/** Where the next page begins; a page that isn't full is the last. */
function onward(items: FeedbackItem[] | undefined, timeOf: Asking['timeOf']): Before | undefined {
  const last = items && items.length >= listed ? items.at(-1) : undefined
  const time = last && timeOf(last)
  return last && time != null ? { time, id: last.id } : undefined
}

/** As many pages as are on the screen, each from where the one before it ends. */
async function readPages({ ask, timeOf }: Asking, many: number): Promise<Pages> {
  const pages: Pages = []
  do pages.push((await ask(onward(pages.at(-1), timeOf))).data)
  while (pages.length < many && onward(pages.at(-1), timeOf))
  return pages
}

/** A list page by page. A conversation that moved up between two responses is in both, and shown once. */
function useList(queryKey: unknown[], asking: Asking) {
  const client = useQueryClient()
  const { data, failureReason, refetch, isPlaceholderData } = useQuery<Pages>({
    queryKey,
    queryFn: () => readPages(asking, client.getQueryData<Pages>(queryKey)?.length ?? 1),
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: isRetryable,
  })
  const next = onward(data?.at(-1), asking.timeOf)
  const { mutate, isPending } = useMutation({
    mutationFn: () => asking.ask(next),
    onSuccess: (page) => client.setQueryData<Pages>(queryKey, (known) => known && [...known, page.data]),
    onError: (error) => showToast('bad', error.message),
  })
  return {
    items: data && [...new Map(data.flat().map((item) => [item.id, item])).values()],
    old: isPlaceholderData,
    trouble: data ? undefined : failureReason?.message,
    askAgain: () => void refetch(),
    more: next && !isPlaceholderData ? { busy: isPending, onMore: () => mutate() } : undefined,
  }
}
export type FeedbackList = ReturnType<typeof useList>

const when = (before: Before | undefined) => ({ brief: true, ...(before && { before }) })

export function useOwnList() {
  const userId = useUser().user?.id ?? ''
  const ask = (before: Before | undefined) => call('/api/user/feedback/query', when(before))
  return useList(listKey(userId, 'user'), { ask, timeOf: ({ time }) => time })
}

export interface Wanted {
  waiting?: boolean
  status?: number
  longestFirst?: boolean
  search?: string
}

export function useMerchantList(wanted: Wanted) {
  const userId = useUser().user?.id ?? ''
  const ask = (before: Before | undefined) => call('/api/merchant/feedback/query', { ...wanted, ...when(before) })
  const timeOf = ({ time, waitingSince }: FeedbackItem) => (wanted.longestFirst ? waitingSince : time)
  return useList([...listKey(userId, 'merchant'), wanted], { ask, timeOf })
}

/** Who has waited longest besides the one that is open. */
export async function nextWaiting(id: string): Promise<string | undefined> {
  const { data } = await call('/api/merchant/feedback/query', { waiting: true, longestFirst: true, brief: true })
  return data.find((item) => item.id !== id)?.id
}

/** Who wrote a conversation. */
export function useFeedbackUser(id: string) {
  const userId = useUser().user?.id ?? ''
  return useQuery({
    queryKey: ['feedback', userId, 'merchant', 'person', id],
    queryFn: () => call('/api/merchant/feedback/person', { id }),
    retry: isRetryable,
  }).data
}

export const sendFeedback = (input: CallInput<'/api/user/feedback/send'>) => call('/api/user/feedback/send', input)

export const confirmFeedback = (id: string) => call('/api/user/feedback/confirm', { id })
