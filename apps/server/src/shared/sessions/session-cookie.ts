import { isUuid, type SessionId, type UserId } from '../../platform/ids.ts'

/** The contents of the session cookie: the session's primary key, and the secret that proves it. */
export interface SessionToken {
  userId: UserId
  sessionId: SessionId
  secret: string
}

export const formatToken = ({ userId, sessionId, secret }: SessionToken): string => `${userId}.${sessionId}.${secret}`

export function parseToken(text: string): SessionToken | undefined {
  const [userId = '', sessionId = '', secret = '', rest] = text.split('.')
  if (rest !== undefined || !isUuid(userId) || !isUuid(sessionId) || !/^[\w-]{43}$/.test(secret)) return undefined
  return { userId: userId as UserId, sessionId: sessionId as SessionId, secret }
}
