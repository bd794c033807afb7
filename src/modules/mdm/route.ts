/**
 * Options of the routes that the specification has for device management. Members read and export;
 * owners and admins make changes.
 * @param maxBytes limit of a body that can be larger than most
 */
export const mdmRoute = <S extends object>(
  kind: 'read' | 'export' | 'change',
  schema: S,
  maxBytes?: number,
) => ({
  config: {
    access: { member: kind === 'change' ? 'admin' : 'member', org_id_in: 'query', others: 403 },
    rate_class: kind === 'export' ? 'export' : 'console',
    ...(maxBytes !== undefined && { body: { max_bytes: maxBytes } }),
  } as const,
  schema: { ...schema, tags: ['MDM'] },
})
