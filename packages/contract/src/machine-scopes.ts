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

export const isMachineScope = (name: string): name is MachineScope =>
  (machineScopes as readonly string[]).includes(name)
