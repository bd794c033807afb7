/** File locations of the embedded analytics engine, and the account that it runs as. */
import { dirname, join, resolve } from 'node:path'
import type { ServerAccount } from '../../embedded/account.ts'
import { makeServerFolder, prepareDataDir } from '../../embedded/folders.ts'
import { limitLog } from '../../embedded/log-file.ts'

export type Place = {
  /** Directory of the tables and their data. */
  directory: string
  /** Address and password of the running process. */
  state_file: string
  /** Target of BACKUP; the engine creates it when needed. */
  backup_folder: string
  /** Server settings, written at each start. */
  config_file: string
  /** Named pipe that every process using the engine holds open. */
  pipe: string
  log: string
}

export function placeOf(dataDir: string): Place {
  const folder = resolve(dataDir)
  const run = join(folder, 'run')
  const directory = join(folder, 'clickhouse')
  return {
    directory,
    state_file: join(run, 'clickhouse.json'),
    config_file: join(run, 'clickhouse.xml'),
    backup_folder: join(folder, 'clickhouse-backups'),
    pipe: join(run, 'clickhouse-users'),
    log: join(run, 'clickhouse.log'),
  }
}

/**
 * Creates missing folders.
 * @returns the account of the engine if root runs this program
 */
export function preparePlace({ directory, pipe, log }: Place): ServerAccount | undefined {
  const account = prepareDataDir(dirname(directory))
  for (const folder of [dirname(pipe), directory]) makeServerFolder(folder, account)
  limitLog(log)
  return account
}
