/** What `postmaster.pid` says about the server of a cluster. */
import { existsSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** PostgreSQL writes its state into this line (counted from 0) of the file. */
const STATUS_LINE = 7

export function isAlive(cluster: string): boolean {
  const pid = serverPid(cluster)
  if (pid === undefined) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}

export const isStopping = (cluster: string): boolean =>
  readLines(cluster)[STATUS_LINE]?.trim() === 'stopping'

/**
 * A server that was killed leaves its lock files, and a later server refuses to start when another
 * process has got the same number meanwhile, as happens in containers, where numbers start over.
 * Does nothing unless that process is certainly not the server of this cluster.
 */
export function removeStaleLocks(cluster: string, socket: string): void {
  const pid = serverPid(cluster)
  if (pid === undefined || !isAlive(cluster) || !isForeign(pid, cluster)) return
  // Between two looks another Vigil may have started the server.
  if (serverPid(cluster) !== pid) return
  rmSync(join(cluster, 'postmaster.pid'), { force: true })
  rmSync(`${socket}.lock`, { force: true })
}

/** The server works in the folder of its cluster; only Linux tells. */
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
