export interface InboxMessage {
  /** A number without its prefix, a mail address, or an openid. */
  to: string
  /** Of the user, if the channel carries it. */
  name?: string
  channel: 'sms' | 'mail' | 'wechat'
  /** As the user sees it. */
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
  /** Newest first; of all receivers unless one is given. */
  list(to?: string): InboxMessage[]
  /** Reports every new message until the returned function is called. */
  follow(report: (message: InboxMessage) => void): () => void
}

/** All sent messages, in memory: the newest thousand. */
export function createInboxStore(limit = 1_000, now: () => number = Date.now): InboxStore {
  const messages: InboxMessage[] = []
  const followers = new Set<(message: InboxMessage) => void>()

  function receive(message: Omit<InboxMessage, 'time'>) {
    const received = { ...message, time: new Date(now()).toISOString() }
    messages.unshift(received)
    messages.length = Math.min(messages.length, limit)
    for (const report of followers) report(received)
  }

  function follow(report: (message: InboxMessage) => void) {
    followers.add(report)
    return () => followers.delete(report)
  }

  const list = (to?: string) => (to === undefined ? [...messages] : messages.filter((message) => message.to === to))
  return { receive, list, follow }
}
