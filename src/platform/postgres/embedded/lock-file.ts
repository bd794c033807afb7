/** Reads `postmaster.pid`, which describes the server of a cluster. */
import { existsSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isRunning } from '../../is-running.ts'

/** Line with the state of the server, counted from 0. */
const STATUS_LINE = 7

export function isAlive(cluster: string): boolean {
  const pid = serverPid(cluster)
  return pid !== undefined && isRunning(pid)
}

export const isStopping = (cluster: string): boolean =>
  readLines(cluster)[STATUS_LINE]?.trim() === 'stopping'

/**
 * Removes the lock files of a killed server. A new server refuses to start if another process has
 * the same PID in the meantime, as happens in containers, where PIDs start over. The files are only
 * removed if that process is certainly not the server of this cluster.
 */
export function removeStaleLocks(cluster: string, socket: string): void {
  const pid = serverPid(cluster)
  if (pid === undefined || !isAlive(cluster) || !isForeign(pid, cluster)) return
  // Another Vigil may have started the server since the first check.
  if (serverPid(cluster) !== pid) return
  rmSync(join(cluster, 'postmaster.pid'), { force: true })
  rmSync(`${socket}.lock`, { force: true })
}

/** The working directory of the server is its cluster; only Linux shows that of other processes. */
function isForeign(pid: number, cluster: string): boolean {
  const link = `/proc/${pid}/cwd`
  try {
    return existsSync('/proc/self/cwd') && readlinkSync(link) !== realpathSync(cluster)
  } catch {
    return false
  }
}

export function serverPid(cluster: string): number | undefined {
  const pid = Number(readLines(cluster)[0])
  return Number.isInteger(pid) && pid > 0 ? pid : undefined
}

function readLines(cluster: string): string[] {
  try {
    return readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}
