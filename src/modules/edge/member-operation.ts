/** Options of a documented operation for members of the organization. */
export const memberOperation = <Parts extends object>(
  operationId: string,
  summary: string,
  parts: Parts,
) => ({
  config: { access: { member: 'member' }, rate_class: 'console' } as const,
  schema: { operationId, summary, tags: ['Edge'], ...parts },
})
