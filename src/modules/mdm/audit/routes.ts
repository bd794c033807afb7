/** The audit log for members of its organisation (specification, "MDM"), paged and as CSV. */
import type { Clock } from '../../../platform/clock.ts'
import { userOf } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { type CsvColumn, csvResponses, sendCsv } from '../../../platform/http/csv.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import { PAGE_DEFAULT } from '../../../platform/http/paging.ts'
import type { Members } from '../../accounts/index.ts'
import { requireReader } from '../access.ts'
import type { Exports } from '../reports/running.ts'
import type { AuditReading } from './reading.ts'
import { auditSchemas } from './schema.ts'
import type { ExportedEntry } from './store.ts'

export type AuditRouteDependencies = {
  accounts: Members
  reading: AuditReading
  clock: Clock
  exports: Exports
  field_limits: { mdm_page_max: number }
}

const LISTED = 'Audit log'
const EXPORTED = 'One row per entry'

const tags = ['MDM']

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

export function auditRoutes(app: App, deps: AuditRouteDependencies): void {
  const { accounts, reading } = deps
  const schemas = auditSchemas(deps.field_limits)

  app.get(
    '/v1/mdm/audit-log',
    {
      config: { access: 'portal', rate_class: 'console' },
      schema: {
        operationId: 'listMdmAuditLog',
        summary: 'Every administrative and system action, the newest first',
        tags,
        'x-open-point': 'OP-18, OP-28, OP-78, OP-84',
        querystring: schemas.listQuery,
        response: responses(schemas.auditLog, LISTED),
      },
    },
    async (request) => {
      const { org_id, ...asked } = request.query
      await requireReader(accounts, userOf(request).user_id, org_id)
      return envelope(LISTED, await reading.list(org_id, { ...PAGE_DEFAULT, ...asked }))
    },
  )
  addExport(app, deps, schemas)
}

function addExport(
  app: App,
  { accounts, reading, clock, exports }: AuditRouteDependencies,
  schemas: ReturnType<typeof auditSchemas>,
): void {
  app.get(
    '/v1/mdm/audit-log/export.csv',
    {
      config: { access: 'portal', rate_class: 'report' },
      schema: {
        operationId: 'exportMdmAuditLog',
        summary: 'The audit log as CSV, the newest entry first',
        tags,
        'x-open-point': 'OP-78, OP-83, OP-84',
        querystring: schemas.exportQuery,
        response: csvResponses(EXPORTED, `${AUDIT_COLUMNS.map(({ name }) => name).join(',')}\r\n`),
      },
    },
    async (request, reply) => {
      const { org_id, action } = request.query
      await requireReader(accounts, userOf(request).user_id, org_id)
      exports.begin(org_id, reply.raw)
      const pages = reading.stream(org_id, action)
      const table = { name: 'audit-log', columns: AUDIT_COLUMNS, pages }
      return await sendCsv(reply, table, { now: clock.now() })
    },
  )
}
