/** Why the embedded engine did not start, and what its operator can do about it. */
import { join } from 'node:path'
import { faultsInLog } from '../../embedded/log-file.ts'
import { EXIT } from './child-options.ts'
import type { Place } from './place.ts'

export type Failure = {
  /** `locked`: another process has the directory, and may be about to leave it. */
  kind: 'locked' | 'no_package' | 'failed'
  detail: string
}

/**
 * @param status of the process; 128 and more: the number of the signal that ended it
 * @param logStart where its log began
 */
export function failureOf(status: number | undefined, log: string, logStart: number): Failure {
  const said = faultsInLog(log, logStart)
  if (status === EXIT.not_opened && said.includes('Cannot lock file')) {
    return { kind: 'locked', detail: said }
  }
  if (status === EXIT.no_package) return { kind: 'no_package', detail: said }
  return { kind: 'failed', detail: `it ended with status ${status ?? 'unknown'}. ${said}` }
}

export function adviceFor(
  { kind, detail }: Failure,
  { directory }: Pick<Place, 'directory'>,
): string {
  switch (kind) {
    case 'locked':
      return `The directory ${directory} of the embedded analytics engine is in use by another process (its number is in ${join(directory, 'status')}). Stop that process; two can never share one directory.`
    case 'no_package':
      return `The embedded analytics engine needs the package chdb, which is missing or does not run on this system. ${detail}. Run \`npm ci\` without --omit=optional on Linux with glibc or on macOS, or set CLICKHOUSE_URL to a ClickHouse server of your own.`
    case 'failed':
      return `The embedded analytics engine cannot open ${directory}: ${detail}. If its files are damaged, move that folder away, and a new one is made (what was not stored there yet is kept in PostgreSQL and goes into the new one); or put a backup in its place.`
  }
}
