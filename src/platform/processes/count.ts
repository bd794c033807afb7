/** The number of processes of a service on this machine, and their roles. */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** Roles of processes: `api` serves requests, `worker` does the work that no request waits for. */
export type ProcessRole = 'api' | 'worker'

/** More need more memory and database connections than a default may take. */
const AUTO_MAX = 8
/** Share of the processor time of a request that PostgreSQL takes (bench/README.md). */
const DATABASE_SHARE = 1 / 3
/** Request processes for each process that does the other work. */
const PROCESSES_PER_WORKER = 4

/** @param setting a number, or `auto` for the cores that the database leaves */
export function processCount(
  setting: number | 'auto',
  machine: { cores: number; has_database: boolean },
): number {
  if (setting !== 'auto') return setting
  const { cores, has_database } = machine
  const database = has_database ? Math.max(1, Math.round(cores * DATABASE_SHARE)) : 0
  return Math.min(AUTO_MAX, Math.max(1, cores - database))
}

/** @returns the roles of several processes of a service with both roles */
export function rolesOf(count: number): ProcessRole[] {
  const workers = Math.max(1, Math.floor(count / PROCESSES_PER_WORKER))
  return Array.from({ length: count }, (_, index) => (index < count - workers ? 'api' : 'worker'))
}

/** Cores that this process may use; Node.js 20 does not know the limit of a container. */
export const usableCores = (): number =>
  Math.max(1, Math.min(availableParallelism(), coresOf(read('/sys/fs/cgroup/cpu.max'))))

/** @param limit content of `cpu.max` in the second version of cgroups, in microseconds */
export function coresOf(limit: string): number {
  const [, quota, period] = /^(\d+) (\d+)$/.exec(limit.trim()) ?? []
  return quota === undefined ? Number.POSITIVE_INFINITY : Math.floor(Number(quota) / Number(period))
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
