export interface InboxMessage {
  /** A number without its prefix, a mail address, or an openid. */
  to: string
  /** Of the person, where the channel tells it. */
  name?: string
  channel: 'sms' | 'mail' | 'wechat'
  /** As the person sees it. */
  text: string
  subject?: string
  /** The signature of an SMS, the sender of a mail. */
  from?: string
  messageId?: string
  /** What a tap on it opens. */
  url?: string
  time: string
}

export type Receive = (message: Omit<InboxMessage, 'time'>) => void

export interface InboxStore {
  receive: Receive
  /** Newest first; of everybody unless told whose. */
  list(to?: string): InboxMessage[]
  /** Tells of every new message until the answer is called. */
  follow(tell: (message: InboxMessage) => void): () => void
}

/** Everything that was sent to anybody, in memory: the newest thousand messages. */
export function createInboxStore(limit = 1_000, now: () => number = Date.now): InboxStore {
  const messages: InboxMessage[] = []
  const followers = new Set<(message: InboxMessage) => void>()

  function receive(message: Omit<InboxMessage, 'time'>) {
    const received = { ...message, time: new Date(now()).toISOString() }
    messages.unshift(received)
    messages.length = Math.min(messages.length, limit)
    for (const tell of followers) tell(received)
  }

  function follow(tell: (message: InboxMessage) => void) {
    followers.add(tell)
    return () => followers.delete(tell)
  }

  const list = (to?: string) => (to === undefined ? [...messages] : messages.filter((message) => message.to === to))
  return { receive, list, follow }
}
