/**
 * A file in the data directory by which `vigil health` finds a running service and its role. A worker has no
 * port, so the age of its file shows whether it still works.
 */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../platform/clock.ts'
import { isRunning } from '../platform/is-running.ts'

export type ServiceMark = {
  pid: number
  role: string
  /** Base URL of the API; absent for workers. */
  url?: string | undefined
}

const FOLDER = 'run'
const BEAT_INTERVAL_MS = 5000
/** Containers that share a data directory have different host names and can have the same PIDs. */
const prefix = (): string => `service-${hostname()}-`

/** @returns removes the file */
export function markService(dataDir: string, { role, url }: Omit<ServiceMark, 'pid'>): () => void {
  const folder = join(dataDir, FOLDER)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, `${prefix()}${process.pid}.json`)
  writeFileSync(file, JSON.stringify({ pid: process.pid, role, url }), { mode: 0o600 })
  const beat = setInterval(() => {
    const now = systemClock.now()
    try {
      utimesSync(file, now, now)
    } catch {
      // Without its file, the service is reported as unhealthy, which says more than ending it would.
    }
  }, BEAT_INTERVAL_MS)
  beat.unref()
  return () => {
    clearInterval(beat)
    rmSync(file, { force: true })
  }
}

/** @returns marks of running services of this host, with the milliseconds since their last beat */
export function findServices(dataDir: string): (ServiceMark & { age_ms: number })[] {
  const folder = join(dataDir, FOLDER)
  return namesIn(folder).flatMap((name) => {
    try {
      const file = join(folder, name)
      const mark = JSON.parse(readFileSync(file, 'utf8')) as ServiceMark
      const age_ms = systemClock.now().getTime() - statSync(file).mtimeMs
      return isRunning(mark.pid) ? [{ ...mark, age_ms }] : []
    } catch {
      // The service has just stopped.
      return []
    }
  })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.startsWith(prefix()))
  } catch {
    return []
  }
}
