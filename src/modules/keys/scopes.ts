/** Areas of operations that API keys can be limited to. A key without scopes may do everything that its kind may. */

export const SCOPES = [
  'checks:write',
  'checks:read',
  'orders:write',
  'profiles:write',
  'cashier:write',
  'logs:write',
  'rum:write',
  'rum:read',
  'push:write',
  'push:read',
  'portals:write',
] as const
export type Scope = (typeof SCOPES)[number]
