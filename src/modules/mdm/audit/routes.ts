/** The audit log for members of the organization (specification, "MDM"), paged and as CSV. */
import type { Clock } from '../../../platform/clock.ts'
import type { App } from '../../../platform/http/app.ts'
import { type CsvColumn, csvResponses, sendCsv } from '../../../platform/http/csv.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import { PAGE_DEFAULT } from '../../../platform/http/paging.ts'
import type { ExportLimit } from '../reports/export-limit.ts'
import { mdmRoute } from '../route.ts'
import type { AuditReading } from './reading.ts'
import { auditSchemas } from './schema.ts'
import type { ExportedEntry } from './store.ts'

export type AuditRouteDependencies = {
  reading: AuditReading
  clock: Clock
  exportLimit: ExportLimit
  field_limits: { mdm_page_max: number }
}

const LISTED = 'Audit log'
const EXPORTED = 'One row per entry'

export const AUDIT_COLUMNS: readonly CsvColumn<ExportedEntry>[] = [
  { name: 'id', cell: ({ id }) => id },
  { name: 'created_at', cell: ({ created_at }) => created_at },
  { name: 'action', cell: ({ action }) => action },
  { name: 'actor_type', cell: ({ actor_type }) => actor_type },
  { name: 'actor_id', cell: ({ actor_id }) => actor_id },
  { name: 'target_type', cell: ({ target_type }) => target_type },
  { name: 'target_id', cell: ({ target_id }) => target_id },
  { name: 'before', cell: ({ before }) => before && JSON.stringify(before) },
  { name: 'after', cell: ({ after }) => after && JSON.stringify(after) },
]

export function auditRoutes(
  app: App,
  { reading, clock, exportLimit, field_limits }: AuditRouteDependencies,
): void {
  const schemas = auditSchemas(field_limits)

  app.get(
    '/v1/mdm/audit-log',
    mdmRoute('read', {
      operationId: 'listMdmAuditLog',
      summary: 'Administrative and system actions, newest first',
      'x-open-point': 'OP-18, OP-28, OP-78, OP-84',
      querystring: schemas.listQuery,
      response: responses(schemas.auditLog, LISTED),
    }),
    async ({ member, query }) =>
      envelope(LISTED, await reading.list(member.org_id, { ...PAGE_DEFAULT, ...query })),
  )

  app.get(
    '/v1/mdm/audit-log/export.csv',
    mdmRoute('export', {
      operationId: 'exportMdmAuditLog',
      summary: 'Export the audit log as CSV, newest entry first',
      'x-open-point': 'OP-78, OP-83, OP-84, OP-163',
      querystring: schemas.exportQuery,
      response: csvResponses(EXPORTED, `${AUDIT_COLUMNS.map(({ name }) => name).join(',')}\r\n`),
    }),
    async ({ member: { org_id }, query }, reply) => {
      exportLimit.begin(org_id, reply.raw)
      const pages = reading.stream(org_id, query.action)
      const table = { name: 'audit-log', columns: AUDIT_COLUMNS, pages }
      return await sendCsv(reply, table, { now: clock.now() })
    },
  )
}
