/** Request and response schemas of the audit log (specification, "MDM resources": "Audit log"). */
import { type Static, Type } from 'typebox'
import { pagination, pagingQuery } from '../../../platform/http/paging.ts'
import { choice, nullable } from '../../../platform/http/schemas.ts'
import { AUDIT_ACTIONS } from './entry.ts'

const EXAMPLE_ENTRY = {
  id: '0198c3a2-b100-7c3d-9a54-3f2b8e6d1c07',
  action: 'device.compliance_changed',
  actor_type: 'provider',
  actor_id: null,
  target_type: 'device',
  target_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07',
  before: { compliance_state: 'compliant' },
  after: { compliance_state: 'grace_period' },
  created_at: '2026-03-01T12:00:00.000Z',
}

const record = () =>
  nullable(Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }))

const auditEntry = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    action: choice(AUDIT_ACTIONS),
    actor_type: choice(['user', 'system', 'provider']),
    actor_id: nullable(Type.String()),
    target_type: Type.String(),
    target_id: nullable(Type.String()),
    before: record(),
    after: record(),
    created_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'AuditEntry', examples: [EXAMPLE_ENTRY], 'x-open-point': 'OP-78' },
)
export type AuditEntry = Static<typeof auditEntry>
export const auditEntries = Type.Array(auditEntry)

const auditLog = Type.Object(
  { entries: auditEntries, pagination },
  { $id: 'AuditLogPage', 'x-open-point': 'OP-28' },
)
export type AuditLogPage = Static<typeof auditLog>

export const auditSchemas = (limits: { mdm_page_max: number }) => ({
  auditLog,
  listQuery: Type.Object({
    ...pagingQuery(limits.mdm_page_max),
    action: Type.Optional(choice(AUDIT_ACTIONS)),
  }),
  exportQuery: Type.Object({ action: Type.Optional(choice(AUDIT_ACTIONS)) }),
})
