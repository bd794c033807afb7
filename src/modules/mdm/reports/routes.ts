/** Reports about the fleet (specification, "MDM": `/mdm/reports/…`), streamed as CSV. */
import { Type } from 'typebox'
import type { Clock } from '../../../platform/clock.ts'
import { userOf } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { type CsvColumn, csvResponses, sendCsv } from '../../../platform/http/csv.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { Members } from '../../accounts/index.ts'
import { requireReader } from '../access.ts'
import { COMPLIANCE_COLUMNS } from './compliance.ts'
import { INVENTORY_COLUMNS } from './inventory.ts'
import { pagesBy } from './pages.ts'
import type { Exports } from './running.ts'
import {
  type InventoriedDevice,
  type JudgedDevice,
  listInventoriedDevices,
  listJudgedDevices,
  type PageOfDevices,
} from './store.ts'

export type ReportRouteDependencies = { accounts: Members; db: Db; clock: Clock; exports: Exports }

type Report<Row> = {
  /** Of the file. */
  name: string
  operationId: string
  summary: string
  description: string
  open_point: string
  columns: readonly CsvColumn<Row>[]
  read: (db: Db, page: PageOfDevices) => Promise<Row[]>
}

const config = { access: 'portal', rate_class: 'report' } as const
const tags = ['MDM']
const inOrganization = Type.Object({
  org_id: Type.String({ description: 'Organisation that you are a member of' }),
})

const INVENTORY: Report<InventoriedDevice> = {
  name: 'fleet-inventory',
  operationId: 'exportMdmFleetInventory',
  summary: 'All devices but deleted ones as CSV, the newest enrolled first',
  description: 'One row per device',
  open_point: 'OP-76, OP-83, OP-84',
  columns: INVENTORY_COLUMNS,
  read: listInventoriedDevices,
}
const COMPLIANCE: Report<JudgedDevice> = {
  name: 'compliance-summary',
  operationId: 'exportMdmComplianceSummary',
  summary: 'Whether each device complies, and with which settings it does not, as CSV',
  description: 'One row per device but deleted ones, the newest enrolled first',
  open_point: 'OP-29, OP-83, OP-84',
  columns: COMPLIANCE_COLUMNS,
  read: listJudgedDevices,
}

export function reportRoutes(app: App, deps: ReportRouteDependencies): void {
  addReport(app, deps, INVENTORY)
  addReport(app, deps, COMPLIANCE)
}

function addReport<Row extends { id: string }>(
  app: App,
  { accounts, db, clock, exports }: ReportRouteDependencies,
  { name, operationId, summary, description, open_point, columns, read }: Report<Row>,
): void {
  const header = columns.map((column) => column.name).join(',')
  app.get(
    `/v1/mdm/reports/${name}.csv`,
    {
      config,
      schema: {
        operationId,
        summary,
        tags,
        'x-open-point': open_point,
        querystring: inOrganization,
        response: csvResponses(description, `${header}\r\n`),
      },
    },
    async (request, reply) => {
      const { org_id } = request.query
      await requireReader(accounts, userOf(request).user_id, org_id)
      exports.begin(org_id, reply.raw)
      const pages = pagesBy(async (before, limit) => await read(db, { org_id, before, limit }))
      return await sendCsv(reply, { name, columns, pages }, { now: clock.now() })
    },
  )
}
