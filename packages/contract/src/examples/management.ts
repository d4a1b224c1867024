import type { Examples } from './example.ts'
import { conversationId, device, email, maskedEmail, maskedMobile, mobile, time, userId } from './values.ts'

const user = {
  id: userId,
  status: 'active' as const,
  nickname: '小林',
  username: 'xiaolin',
  mobilePrefix: '86',
  mobile: maskedMobile,
  email: maskedEmail,
  password: true,
  wechat: false,
  protected: false,
  operator: false,
  since: time,
  closing: null,
}

const { ip: _, ...session } = device

const client = { id: 'shop', name: '青屿商城', logo: null, host: 'shop.example.com', firstParty: true, privacy: null }

const conversation = {
  id: conversationId,
  user: userId,
  status: 0,
  time,
  waitingSince: time,
  lastSeq: 1,
}

const event = {
  position: 1205,
  id: '5f0a1c52-7d0e-4f5e-9a53-2b6a1f6f0c11',
  type: 'identity.bound' as const,
  timestamp: '2026-11-18T09:30:12.104233Z',
  data: { id: userId, changed: ['email'] },
}

export const managementExamples = {
  listManagedUsers: { input: { status: 'active', top: 20 }, output: { data: [user], next: null } },
  findManagedUser: { input: mobile, output: { ...user, ...mobile, email } },
  disableManagedUser: { input: { id: userId }, output: { id: userId, status: 'disabled' } },
  enableManagedUser: { input: { id: userId }, output: { id: userId, status: 'active' } },
  listManagedSessions: { input: { id: userId }, output: { data: [session], next: null } },
  revokeManagedSession: { input: { id: userId, session: session.id }, output: { ended: 1 } },
  revokeManagedSessions: { input: { id: userId }, output: { ended: 2 } },
  listManagedAuthorizations: {
    input: { id: userId },
    output: { data: [{ client, scopes: ['profile'], since: time, lastUsed: time }] },
  },
  listManagedFeedback: { input: { status: '0' }, output: { data: [conversation], next: null } },
  readManagedFeedback: {
    input: { id: conversation.id },
    output: { ...conversation, entries: [{ seq: 1, role: 'user', message: '收不到验证码', time }], more: false },
  },
  replyManagedFeedback: {
    input: { id: conversation.id, message: '您好，请检查短信拦截' },
    output: { id: conversation.id, seq: 2, status: 2 },
  },
  closeManagedFeedback: { input: { id: conversation.id }, output: { id: conversation.id, seq: 4, status: 4 } },
  readManagedConfig: { output: { version: 12, time, config: { name: '青屿生活' } } },
  readManagedUser: { input: { id: userId }, output: user },
  listManagedEvents: {
    input: { after: 1204, limit: 100, types: 'identity.bound,identity.unbound' },
    output: { data: [event], next: 1205, more: false },
  },
} satisfies Partial<Examples>
