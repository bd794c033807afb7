/**
 * Options of the routes that the specification has for device management. Members read and export;
 * owners and admins make changes.
 */
import type { FreshFactor } from '../access/index.ts'

/** @property max_bytes limit of a body that can be larger than most */
type Options = { max_bytes?: number; fresh_factor?: FreshFactor }

export const mdmRoute = <S extends object>(
  kind: 'read' | 'export' | 'change',
  schema: S,
  { max_bytes, fresh_factor = kind === 'export' }: Options = {},
) => ({
  config: {
    access: { member: kind === 'change' ? 'admin' : 'member', org_id_in: 'query', others: 403 },
    rate_class: kind === 'export' ? 'export' : 'console',
    fresh_factor,
    ...(max_bytes !== undefined && { body: { max_bytes } }),
  } as const,
  schema: { ...schema, tags: ['MDM'] },
})
