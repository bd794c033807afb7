/** The audit log: who did what in an organization, written with the change itself. */
export { type AuditLog, createAuditLog } from './service.ts'
export { expireAudit, insertAudit, type NewAuditEntry } from './store.ts'
