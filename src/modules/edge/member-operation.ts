/** Options of a documented operation for members, or for owners and admins, of the organization. */
const operation =
  <Role extends 'member' | 'admin'>(member: Role) =>
  <Parts extends object>(operationId: string, summary: string, parts: Parts) => ({
    config: { access: { member }, rate_class: 'console' } as const,
    schema: { operationId, summary, tags: ['Edge'], ...parts },
  })

export const memberOperation = operation('member')
export const adminOperation = operation('admin')
