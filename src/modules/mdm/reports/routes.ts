/** Reports about the fleet (specification, "MDM": `/mdm/reports/…`), streamed as CSV. */
import type { Clock } from '../../../platform/clock.ts'
import type { App } from '../../../platform/http/app.ts'
import { type CsvColumn, csvResponses, sendCsv } from '../../../platform/http/csv.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { mdmRoute } from '../route.ts'
import { COMPLIANCE_COLUMNS } from './compliance-columns.ts'
import type { ExportLimit } from './export-limit.ts'
import { INVENTORY_COLUMNS } from './inventory-columns.ts'
import { pagesBy } from './pages.ts'
import {
  type DevicePage,
  type InventoriedDevice,
  listInventoriedDevices,
  listSummarizedDevices,
  type SummarizedDevice,
} from './store.ts'

export type ReportRouteDependencies = { db: Db; clock: Clock; exportLimit: ExportLimit }

type Report<Row> = {
  /** The name of the file, without extension. */
  name: string
  operationId: string
  summary: string
  description: string
  open_point: string
  columns: readonly CsvColumn<Row>[]
  read: (db: Db, page: DevicePage) => Promise<Row[]>
}

const INVENTORY: Report<InventoriedDevice> = {
  name: 'fleet-inventory',
  operationId: 'exportMdmFleetInventory',
  summary: 'Export all devices that are not deleted as CSV, newest enrolled first',
  description: 'One row per device',
  open_point: 'OP-76, OP-83, OP-84, OP-163',
  columns: INVENTORY_COLUMNS,
  read: listInventoriedDevices,
}
const COMPLIANCE: Report<SummarizedDevice> = {
  name: 'compliance-summary',
  operationId: 'exportMdmComplianceSummary',
  summary: 'Export the compliance of each device and the settings it violates as CSV',
  description: 'One row per device that is not deleted, newest enrolled first',
  open_point: 'OP-29, OP-83, OP-84, OP-163',
  columns: COMPLIANCE_COLUMNS,
  read: listSummarizedDevices,
}

export function reportRoutes(app: App, deps: ReportRouteDependencies): void {
  addReport(app, deps, INVENTORY)
  addReport(app, deps, COMPLIANCE)
}

function addReport<Row extends { id: string }>(
  app: App,
  { db, clock, exportLimit }: ReportRouteDependencies,
  { name, operationId, summary, description, open_point, columns, read }: Report<Row>,
): void {
  const header = columns.map((column) => column.name).join(',')
  app.get(
    `/v1/mdm/reports/${name}.csv`,
    mdmRoute('export', {
      operationId,
      summary,
      'x-open-point': open_point,
      response: csvResponses(description, `${header}\r\n`),
    }),
    async ({ member: { org_id } }, reply) => {
      exportLimit.begin(org_id, reply.raw)
      const pages = pagesBy(async (before, limit) => await read(db, { org_id, before, limit }))
      return await sendCsv(reply, { name, columns, pages }, { now: clock.now() })
    },
  )
}
