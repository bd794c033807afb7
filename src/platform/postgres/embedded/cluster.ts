/** Makes the database cluster (`initdb`) on first use, whole or not at all. */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { faultsInLog, logEnd } from '../../embedded/log-file.ts'
import { spawnWatched } from '../../embedded/watchdog.ts'
import { OperatorError } from '../../operator-error.ts'
import { partialPath, removeAbandoned } from './partial.ts'
import { makeServerFolder, type Place } from './place.ts'

export const SUPERUSER = 'vigil'

export const isClusterThere = (cluster: string): boolean => existsSync(join(cluster, 'PG_VERSION'))

/**
 * `initdb` writes into a folder of its own that is renamed into place at the end, so a start that
 * is cut off leaves nothing that a later start could mistake for a cluster.
 */
export async function ensureCluster(place: Place): Promise<void> {
  if (isClusterThere(place.cluster)) return
  removeAbandoned(place.cluster)
  const partial = partialPath(place.cluster)
  rmSync(partial, { recursive: true, force: true })
  makeServerFolder(partial, place.account)
  const logStart = logEnd(place.log)
  const seen = join(dirname(place.for_server.cluster), basename(partial))
  const initdb = join(place.binaries, 'bin', 'initdb')
  const args = ['-D', seen, '-U', SUPERUSER, '--auth=trust', '--encoding=UTF8', '--no-locale']
  try {
    const status = await spawnWatched([initdb, ...args], place).ended
    if (status === 0 && !isClusterThere(place.cluster)) renameSync(partial, place.cluster)
  } catch (error) {
    // Another process that started at the same moment may have won the rename.
    if (!isClusterThere(place.cluster)) throw error
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
  if (!isClusterThere(place.cluster)) {
    throw new OperatorError(
      `PostgreSQL could not make its data directory ${place.cluster}. ${faultsInLog(place.log, logStart)}`,
    )
  }
}
