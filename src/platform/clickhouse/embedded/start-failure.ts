/** Explains why the embedded engine did not start and what the operator can do. */
import { join } from 'node:path'
import { faultsInLog } from '../../embedded/log-file.ts'
import { EXIT } from './child-options.ts'
import type { Place } from './place.ts'

export type Failure = {
  /** `locked`: another process uses the directory, and may be about to stop. */
  kind: 'locked' | 'no_package' | 'failed'
  detail: string
}

/**
 * @param status exit status of the process; above 128 it is 128 plus the signal that ended it
 * @param logStart size of the log file when the process was started
 */
export function failureOf(status: number | undefined, log: string, logStart: number): Failure {
  const faults = faultsInLog(log, logStart)
  if (status === EXIT.not_opened && faults.includes('Cannot lock file')) {
    return { kind: 'locked', detail: faults }
  }
  if (status === EXIT.no_package) return { kind: 'no_package', detail: faults }
  return { kind: 'failed', detail: `it ended with status ${status ?? 'unknown'}. ${faults}` }
}

export function adviceFor(
  { kind, detail }: Failure,
  { directory }: Pick<Place, 'directory'>,
): string {
  switch (kind) {
    case 'locked':
      return `The directory ${directory} of the embedded analytics engine is in use by another process (its PID is in ${join(directory, 'status')}). Stop that process; two processes cannot share a directory.`
    case 'no_package':
      return `The embedded analytics engine needs the package chdb, which is missing or does not run on this system. ${detail}. Set CLICKHOUSE_URL to a ClickHouse server, or install the package on Linux with glibc or on macOS: \`npm install\` without --omit=optional does.`
    case 'failed':
      return `The embedded analytics engine cannot open ${directory}: ${detail}. If its files are damaged, restore a backup, or move that folder away so that a new one is created; data that was not stored there yet is kept in PostgreSQL and will be added to it.`
  }
}
