import { isUuid, type SessionId, type UserId } from '../../platform/ids.ts'

export interface SessionKey {
  userId: UserId
  sessionId: SessionId
}

/** What the provider calls our session: it can be looked up, and opens nothing. */
export const sessionUid = ({ userId, sessionId }: SessionKey): string => `${userId}.${sessionId}`

export function parseSessionUid(uid: string | undefined): SessionKey | undefined {
  const [userId = '', sessionId = '', rest] = (uid ?? '').split('.')
  if (rest !== undefined || !isUuid(userId) || !isUuid(sessionId)) return undefined
  return { userId: userId as UserId, sessionId: sessionId as SessionId }
}
