/**
 * `npm run bench -- logs`: how fast logs are acknowledged and passed on, against the raw inserts of
 * the same bytes; how soon they can be read, and how long readings take.
 */
import { readFileSync } from 'node:fs'
import type { Cleanup } from './cleanup.ts'
import { enginePid, type LogsBed, prepareLogs, startWholeService } from './logs-bed.ts'
import { measureDelay } from './logs-delay.ts'
import { measureDrain } from './logs-drain.ts'
import { measureIngest, measureWholeIngest } from './logs-ingest.ts'
import { measureQueries } from './logs-queries.ts'
import type { LogsMemory, LogsReport } from './logs-report.ts'
import type { BenchOptions } from './options.ts'
import { machineName } from './rounds.ts'

export async function benchLogs(
  options: BenchOptions,
  cleanup: Cleanup,
  tell: (step: string) => void,
): Promise<LogsReport> {
  const bed = await prepareLogs(options, cleanup, tell)
  const ingest = await measureIngest(bed, options)
  const drain = await measureDrain(bed, options, cleanup)
  await startWholeService(bed, options, cleanup)
  const [first] = ingest
  const best = ingest
    .filter(({ kind }) => kind === first?.kind)
    .reduce((a, b) => (b.http.per_second > a.http.per_second ? b : a))
  const whole = await measureWholeIngest(bed, options, best)
  const delay = await measureDelay(bed, options, whole.http.per_second / 2, cleanup)
  const memory = [await readMemory(bed, 'after taking logs in')]
  const queries = options.rows.length > 0 ? await measureQueries(bed, options, cleanup) : []
  if (queries.length > 0) memory.push(await readMemory(bed, 'after readings'))
  return {
    machine: machineName(),
    seconds: options.seconds,
    ingest,
    whole,
    drain,
    delay,
    queries,
    memory,
  }
}

async function readMemory(bed: LogsBed, when: string): Promise<LogsMemory> {
  const metrics = await bed.service.metrics()
  const pid = enginePid(bed.postgres)
  return {
    when,
    service_mb: metrics('process_resident_memory_bytes') / 1_048_576,
    engine_mb: pid === undefined ? Number.NaN : residentMb(pid),
  }
}

/** NaN where the system does not tell (proc_pid_status(5)). */
function residentMb(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
  } catch {
    return Number.NaN
  }
}
