/** What a client of kind `machine` may do at the management API. */
export const machineScopes = [
  'users:read',
  'users:contact',
  'users:write',
  'sessions:revoke',
  'feedback:read',
  'feedback:write',
  'events:read',
  'config:read',
] as const
export type MachineScope = (typeof machineScopes)[number]

/** They reveal numbers and addresses or change something: granting one needs the proof of an export. */
export const guardedScopes: readonly MachineScope[] = [
  'users:contact',
  'users:write',
  'sessions:revoke',
  'feedback:write',
]

export const isMachineScope = (name: string): name is MachineScope =>
  (machineScopes as readonly string[]).includes(name)
