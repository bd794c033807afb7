/**
 * Which record a report is about. A phone that was reset and enrolled again has a new name at the
 * provider and stays the same device here, with its metadata, its group and its history.
 */
import type { DeviceRow } from './record.ts'
import type { DeviceReport } from './report.ts'

export type Identified =
  /** Of this record, under its name of now or under a new one. */
  | { kind: 'known'; row: DeviceRow }
  | { kind: 'new' }
  /** Late: of a name that the phone has no longer. */
  | { kind: 'former' }

/**
 * @param candidates of the same organisation: all with the name, with one of the previous names, with
 *   the same identifier in the enterprise, or with the same serial number
 * @param isFormer whether the name was that of a record which goes on under another one
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

/** It outlives resets, on personally owned devices only. */
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
 * Serial numbers are not always different: only a record that has ended is continued, only when the
 * new enrolment began after its last report, and only when no other has the same.
 */
function bySerialNumber(
  { serial_number: serial, brand, model, ...report }: DeviceReport,
  candidates: readonly DeviceRow[],
): Identified | undefined {
  if (serial === null) return undefined
  const [row, another] = candidates.filter(
    (given) => given.serial_number === serial && given.brand === brand && given.model === model,
  )
  if (!row || another || row.state !== 'deleted') return undefined
  const end = row.last_report_at ?? row.enrolled_at
  return startOf(report) > end.getTime() ? { kind: 'known', row } : undefined
}

const latest = (rows: readonly DeviceRow[]): DeviceRow | undefined =>
  rows.toSorted((a, b) => b.enrolled_at.getTime() - a.enrolled_at.getTime())[0]

/** When the enrolment began that the report is of; a report that tells no time at all is of now. */
const startOf = ({ enrolled_at, reported_at }: Pick<DeviceReport, 'enrolled_at' | 'reported_at'>) =>
  (enrolled_at ?? reported_at)?.getTime() ?? Number.POSITIVE_INFINITY
