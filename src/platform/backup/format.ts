/**
 * The form of a backup in its store. `data/<id>/000001` and so on are segments: rows of one table,
 * compressed and then encrypted as one box that is bound to its name. `data/<id>/manifest` lists them, and
 * is encrypted too. `complete/<id>.json`, which is written last, has the wrapped keys and is readable.
 */
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { decrypt, encrypt } from '../crypto/cipher.ts'
import { OperatorError } from '../operator-error.ts'
import type { DumpShape } from '../postgres/dump.ts'
import type { WrappedBackupKey } from './keys.ts'
import type { BackupStore } from './store.ts'

export type Segment = { name: string; bytes: number; rows: number }

export type TableContent = { rows: number; digest: string; segments: Segment[] }

export type DatabaseContent = Omit<DumpShape, 'taken_at'> & {
  contents: Record<string, TableContent>
}

/** A further database, or schema, with the data of some organizations. */
export type CellContent = {
  name: string
  /** Where it was, with account and password; null for a schema in the database of the directory. */
  url: string | null
  schema: string | null
  postgres: DatabaseContent
}

export type Manifest = {
  id: string
  taken_at: string
  vigil_version: string
  postgres: DatabaseContent
  /** Absent without further cells. */
  cells?: CellContent[]
  /** Null if the analytics engine holds nothing, or was left out. */
  analytics: { contents: Record<string, TableContent> } | null
}

/** What can be read without a key. */
export type Summary = {
  format: 'vigil-backup'
  /** 2 with several cells, so that a version that does not know them refuses the backup. */
  format_version: 1 | 2
  id: string
  vigil_version: string
  /** Time of the snapshot of the database. */
  taken_at: string
  finished_at: string
  bytes: number
  rows: number
  logs: boolean
  keys: WrappedBackupKey[]
}

export type OpenBackup = { summary: Summary; manifest: Manifest; key: Buffer }

const FORMAT_VERSIONS: readonly number[] = [1, 2]
const COMPLETE = 'complete/'
const DATA = 'data/'
const pack = promisify(gzip)
const unpack = promisify(gunzip)

export const summaryName = (id: string): string => `${COMPLETE}${id}.json`
export const dataPrefix = (id: string): string => `${DATA}${id}/`
export const manifestName = (id: string): string => `${dataPrefix(id)}manifest`

/** Ids begin with the time, so that they sort by it. */
export const ID = /^\d{8}T\d{6}Z-[0-9a-f]{8}$/

/** @returns ids of complete backups, and of all that have data; the oldest first */
export async function listIds(
  store: BackupStore,
): Promise<{ complete: string[]; started: string[] }> {
  const named = async (prefix: string, pattern: RegExp): Promise<string[]> => {
    const objects = await store.list(prefix)
    const ids = objects.flatMap(({ name }) => pattern.exec(name)?.[1] ?? [])
    return [...new Set(ids)].filter((id) => ID.test(id)).toSorted()
  }
  return {
    complete: await named(COMPLETE, /^complete\/(.+)\.json$/),
    started: await named(DATA, /^data\/([^/]+)\//),
  }
}

/** @returns ids of complete backups, without reading the names of all their segments */
export async function listComplete(store: BackupStore): Promise<string[]> {
  const objects = await store.list(COMPLETE)
  const ids = objects.flatMap(({ name }) => /^complete\/(.+)\.json$/.exec(name)?.[1] ?? [])
  return ids.filter((id) => ID.test(id)).toSorted()
}

/** @throws OperatorError if there is no such backup, or its summary is not one */
export async function readSummary(store: BackupStore, id: string): Promise<Summary> {
  const bytes = ID.test(id) ? await store.get(summaryName(id)) : undefined
  if (!bytes) throw new OperatorError(`There is no complete backup ${id} in the store.`)
  const summary = parse<Summary>(bytes)
  const isKnown = summary?.format === 'vigil-backup' && summary.id === id
  if (!isKnown || !Array.isArray(summary.keys)) throw damaged(id, 'its summary cannot be read')
  if (!FORMAT_VERSIONS.includes(summary.format_version)) {
    throw new OperatorError(
      `The backup ${id} has the format ${String(summary.format_version)}, which this version of Vigil does not know.`,
    )
  }
  return summary
}

/** Compresses and encrypts. The name in the store becomes part of what is authenticated. */
export const sealObject = async (key: Buffer, name: string, plain: Buffer): Promise<Buffer> =>
  encrypt(key, await pack(plain, { level: 1 }), name)

/** @throws OperatorError if the object is missing, shortened, changed, or belongs elsewhere */
export async function readObject(
  store: BackupStore,
  { id, key, name }: { id: string; key: Buffer; name: string },
): Promise<Buffer> {
  const box = await store.get(name)
  if (!box) throw damaged(id, `${name} is missing`)
  const packed = decrypt(key, box, name)
  if (!packed) throw damaged(id, `${name} was changed or shortened`)
  return await unpack(packed)
}

export const damaged = (id: string, fault: string): OperatorError =>
  new OperatorError(`The backup ${id} is damaged: ${fault}. Nothing was changed; use another one.`)

function parse<T>(bytes: Buffer): T | undefined {
  try {
    return JSON.parse(bytes.toString('utf8')) as T
  } catch {
    return undefined
  }
}
