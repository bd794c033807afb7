/** Who did what in an organisation: written with what was done, read by owners and admins. */
export type { AuditEntry, AuditPage } from './schema.ts'
export { type AuditLog, createAuditLog } from './service.ts'
export { insertAudit, type NewAuditEntry } from './store.ts'
