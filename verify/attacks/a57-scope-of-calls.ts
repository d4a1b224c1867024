import type { MachineScope } from '@hufu/contract/machine-scopes'

/** Which scope opens which call. Written by hand: the contract is what it is compared with. */
const table: Record<MachineScope, string[]> = {
  'users:read': [
    'GET /api/manage/v1/users',
    'GET /api/manage/v1/users/:id',
    'GET /api/manage/v1/users/:id/sessions',
    'GET /api/manage/v1/users/:id/authorizations',
  ],
  'users:contact': ['POST /api/manage/v1/users/find'],
  'users:write': ['POST /api/manage/v1/users/:id/disable', 'POST /api/manage/v1/users/:id/enable'],
  'sessions:revoke': [
    'POST /api/manage/v1/users/:id/sessions/:session/revoke',
    'POST /api/manage/v1/users/:id/sessions/revoke',
  ],
  'feedback:read': ['GET /api/manage/v1/feedback', 'GET /api/manage/v1/feedback/:id'],
  'feedback:write': ['POST /api/manage/v1/feedback/:id/reply', 'POST /api/manage/v1/feedback/:id/close'],
  'events:read': ['GET /api/manage/v1/events'],
  'config:read': ['GET /api/manage/v1/config'],
}

export const scopeOfCall: ReadonlyMap<string, MachineScope> = new Map(
  Object.entries(table).flatMap(([scope, calls]) =>
    calls.map((call): [string, MachineScope] => [call, scope as MachineScope]),
  ),
)
