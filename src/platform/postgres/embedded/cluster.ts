/** Creates the database cluster with `initdb` on first use. */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { makeServerFolder } from '../../embedded/folders.ts'
import { faultsInLog, logEnd } from '../../embedded/log-file.ts'
import { spawnWatched } from '../../embedded/watchdog.ts'
import { OperatorError } from '../../operator-error.ts'
import { partialPath, removeAbandoned } from './partial.ts'
import type { Place } from './place.ts'

export const SUPERUSER = 'vigil'

export const hasCluster = (cluster: string): boolean => existsSync(join(cluster, 'PG_VERSION'))

/**
 * `initdb` writes into a temporary folder that is renamed at the end, so that an interrupted start
 * leaves nothing that a later start could mistake for a cluster.
 */
export async function ensureCluster(place: Place): Promise<void> {
  if (hasCluster(place.cluster)) return
  removeAbandoned(place.cluster)
  const partial = partialPath(place.cluster)
  rmSync(partial, { recursive: true, force: true })
  makeServerFolder(partial, place.account)
  const logStart = logEnd(place.log)
  const serverPath = join(dirname(place.for_server.cluster), basename(partial))
  const initdb = join(place.binaries, 'bin', 'initdb')
  const args = ['-D', serverPath, '-U', SUPERUSER, '--auth=trust', '--encoding=UTF8', '--no-locale']
  try {
    const status = await spawnWatched([initdb, ...args], place).ended
    if (status === 0 && !hasCluster(place.cluster)) renameSync(partial, place.cluster)
  } catch (error) {
    // Another process that started at the same time may have created the cluster.
    if (!hasCluster(place.cluster)) throw error
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
  if (!hasCluster(place.cluster)) {
    throw new OperatorError(
      `PostgreSQL could not create its data directory ${place.cluster}. ${faultsInLog(place.log, logStart)}`,
    )
  }
}
