/**
 * Finds the record that a report is about. A phone that was reset and enrolled again has a new name at
 * the provider but remains the same device here, with its metadata, group and history.
 */
import type { DeviceRow } from './record.ts'
import type { DeviceReport } from './report.ts'

export type Identified =
  /** The report is about this record, under its current name or a new one. */
  | { kind: 'known'; row: DeviceRow }
  | { kind: 'new' }
  /** The report is late: the phone no longer has this name. */
  | { kind: 'former' }

/**
 * @param candidates all devices of the organization with the name, one of the previous names, the same
 *   identifier in the enterprise, or the same serial number
 * @param isFormer whether a record that now has another name had this one
 */
export function identify(
  report: DeviceReport,
  candidates: readonly DeviceRow[],
  isFormer: (name: string) => boolean,
): Identified {
  const named = candidates.find(({ provider_name }) => provider_name === report.name)
  if (named) return { kind: 'known', row: named }
  if (isFormer(report.name)) return { kind: 'former' }
  for (const name of report.previous_names.toReversed()) {
    const before = candidates.find(({ provider_name }) => provider_name === name)
    if (before) return { kind: 'known', row: before }
  }
  return byIdentifier(report, candidates) ?? bySerialNumber(report, candidates) ?? { kind: 'new' }
}

/** The identifier survives resets, but only personally owned devices have one. */
function byIdentifier(
  { enterprise_specific_id: id, ...report }: DeviceReport,
  candidates: readonly DeviceRow[],
): Identified | undefined {
  if (id === null) return undefined
  const row = latest(
    candidates.filter(({ enterprise_specific_id }) => enterprise_specific_id === id),
  )
  if (!row) return undefined
  return startOf(report) < row.enrolled_at.getTime() ? { kind: 'former' } : { kind: 'known', row }
}

/**
 * Serial numbers are not always unique: a record is continued only if it has ended, the new enrollment
 * began after its last report, and no other record has the same number.
 */
function bySerialNumber(
  { serial_number: serial, brand, model, ...report }: DeviceReport,
  candidates: readonly DeviceRow[],
): Identified | undefined {
  if (serial === null) return undefined
  const [row, another] = candidates.filter(
    (each) => each.serial_number === serial && each.brand === brand && each.model === model,
  )
  if (!row || another || row.state !== 'deleted') return undefined
  const end = row.last_report_at ?? row.enrolled_at
  return startOf(report) > end.getTime() ? { kind: 'known', row } : undefined
}

const latest = (rows: readonly DeviceRow[]): DeviceRow | undefined =>
  rows.toSorted((a, b) => b.enrolled_at.getTime() - a.enrolled_at.getTime())[0]

/** Start of the enrollment in milliseconds; a report without any time counts as the newest. */
const startOf = ({ enrolled_at, reported_at }: Pick<DeviceReport, 'enrolled_at' | 'reported_at'>) =>
  (enrolled_at ?? reported_at)?.getTime() ?? Number.POSITIVE_INFINITY
