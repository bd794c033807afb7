/** Where the embedded analytics engine keeps its files, and as whom it runs. */
import { chmodSync, chownSync, lstatSync, mkdirSync, statSync, truncateSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ServerAccount } from '../../embedded/account.ts'

export type Place = {
  /** Tables and their data. */
  directory: string
  /** Address and password of the running process. */
  state_file: string
  /** For BACKUP; made by the engine when it is used. */
  backup_folder: string
  /** Server settings, written at each start. */
  config_file: string
  /** Named pipe that all users hold open. */
  pipe: string
  log: string
  /** Another account, when root uses the directory of an ordinary user's service. */
  account: ServerAccount | undefined
}

const LOG_FILE_MAX_BYTES = 10_000_000

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
    account: ownerOf(directory),
  }
}

/** Makes what is missing; the folders above are as the embedded PostgreSQL makes them. */
export function preparePlace(place: Place): void {
  const run = join(place.pipe, '..')
  mkdirSync(run, { recursive: true, mode: 0o700 })
  if (mkdirSync(place.directory, { recursive: true, mode: 0o700 }) !== undefined) {
    chmodSync(place.directory, 0o700)
    if (place.account) chownSync(place.directory, place.account.uid, place.account.gid)
  }
  const facts = lstatSync(place.log, { throwIfNoEntry: false })
  if (facts?.isFile() && facts.size > LOG_FILE_MAX_BYTES) truncateSync(place.log)
}

/** A command that root runs must not leave files that the service of an ordinary user cannot write. */
function ownerOf(directory: string): ServerAccount | undefined {
  if (process.getuid?.() !== 0) return undefined
  const facts = statSync(directory, { throwIfNoEntry: false })
  if (!facts || facts.uid === 0) return undefined
  return { name: `of uid ${facts.uid}`, uid: facts.uid, gid: facts.gid }
}
