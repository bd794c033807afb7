/** `vigil org export` and `vigil org delete`: all data of one organization. */
import { createWriteStream, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import type { Client } from 'pg'
import { analyticsTables } from '../app/backups.ts'
import { VERSION } from '../app/version.ts'
import { insertAudit } from '../modules/audit/index.ts'
import { findCellOf, findMoveUnderWay } from '../modules/cells/index.ts'
import {
  countRows,
  deleteOwnUsers,
  deleteRows,
  exportRows,
  findName,
  RETAINED_TABLES,
} from '../modules/organization-data/index.ts'
import { CELL_TABLES, DIRECTORY_TABLES } from '../modules/table-places.ts'
import type { AnalyticsTables } from '../platform/backup/create.ts'
import { deleteRowsOf, readRowsOf } from '../platform/clickhouse/dump.ts'
import { isUuid } from '../platform/ids.ts'
import { openConnection } from '../platform/postgres/connection.ts'
import { writeRowsTo } from '../platform/postgres/copy.ts'
import { type Context, withStores } from './command.ts'
import { CommandError, type Io, type Options, type Output } from './io.ts'

/** A connection, and the tables that are read there; undefined for all. */
type Place = { client: Client; tables: readonly string[] | undefined }

type Opened = Context & {
  client: Client
  /** The database of the directory, and that of the cell if it is another. */
  places: readonly Place[]
  name: string
  analytics: AnalyticsTables
}

const CONNECTION_NAME = 'vigil-organization'

async function withOrganization<T>(
  io: Io,
  orgId: string,
  run: (opened: Opened) => Promise<T>,
): Promise<T> {
  if (!isUuid(orgId)) throw new CommandError('--org must be an id')
  return await withStores(io, async ({ config, stores }) => {
    const analytics = analyticsTables(stores.analytics, config, stores.data_dir)
    const client = await openConnection(stores.server, CONNECTION_NAME)
    const clients = [client]
    try {
      const name = await findName(client, orgId)
      if (name === undefined) throw new CommandError(`Organization ${orgId} does not exist`)
      const cellName = await findCellOf(stores.directory, orgId)
      const cell = stores.cells.find(({ name: each }) => each === cellName)
      if (!cell) {
        const places = [{ client, tables: undefined }]
        return await run({ config, stores, client, places, name, analytics })
      }
      await cell.usable()
      const own = await openConnection(cell.server, CONNECTION_NAME, cell.schema)
      clients.push(own)
      const places = [
        { client, tables: DIRECTORY_TABLES },
        { client: own, tables: CELL_TABLES },
      ]
      return await run({ config, stores, client, places, name, analytics })
    } finally {
      await Promise.all(clients.map(async (each) => await each.end().catch(() => undefined)))
    }
  })
}

export const exportOrganization = async (
  io: Io,
  { org: orgId, to: folder }: Options & { org: string; to: string },
): Promise<Output> =>
  await withOrganization(io, orgId, async ({ places, stores, analytics, name }) => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (readdirSync(folder).length > 0) throw new CommandError(`The folder ${folder} is not empty`)
    const tables: Record<string, number> = {}
    const onTable = (table: string, rows: number) => {
      tables[table] = rows
      io.stderr(`Exported ${table} (${rows} rows)`)
    }
    const open = (table: string) => openFile(join(folder, `${table}.ndjson`))
    for (const place of places) {
      await exportRows(place.client, orgId, { open, onTable }, place.tables)
    }
    for (const table of analytics?.tables ?? []) {
      if (!analytics) break
      const file = open(table)
      let rows = 0
      for await (const block of readRowsOf(analytics, table, orgId)) {
        await file.write(block.lines)
        rows += block.rows
      }
      await file.end()
      onTable(table, rows)
    }
    const exported_at = stores.clock.now()
    const manifest = { org_id: orgId, name, exported_at, vigil_version: VERSION, tables }
    // Written last: without it, the export is incomplete.
    writeFileSync(join(folder, 'export.json'), `${JSON.stringify(manifest, undefined, 2)}\n`, {
      mode: 0o600,
    })
    const rows = Object.values(tables).reduce((total, each) => total + each, 0)
    return { json: manifest, lines: [`Organization ${orgId} exported to ${folder}: ${rows} rows`] }
  })

function openFile(path: string) {
  const stream = createWriteStream(path, { mode: 0o600, flags: 'wx' })
  const failed = new Promise<never>((_, reject) => stream.on('error', reject))
  failed.catch(() => undefined)
  return {
    write: writeRowsTo(stream),
    end: async () => {
      stream.end()
      await Promise.race([finished(stream), failed])
    },
  }
}

const ANDROID =
  'Devices stay enrolled at Google: delete the enterprise there, or before, if the organization manages Android devices.'

export const deleteOrganization = async (
  io: Io,
  { org: orgId, name: typed }: Options & { org: string; name?: string },
): Promise<Output> =>
  await withOrganization(io, orgId, async ({ client, places, stores, analytics, name }) => {
    if ((await findMoveUnderWay(stores.directory))?.org_id === orgId) {
      throw new CommandError('The organization moves to another cell. Complete that first')
    }
    const counts: Record<string, number> = {}
    for (const place of places) {
      Object.assign(counts, await countRows(place.client, orgId, place.tables))
    }
    for (const line of announcement(orgId, name, counts)) io.stderr(line)
    const given = typed ?? (await io.ask?.('Type the name of the organization to delete it: '))
    if (given === undefined) {
      throw new CommandError('Repeat the name of the organization with --name to delete it')
    }
    if (given.trim() !== name) {
      throw new CommandError(`The name is not ${JSON.stringify(name)}. Nothing was changed`)
    }
    await audit(stores, orgId, 'organization.deletion_started')
    const deleted: Record<string, number> = {}
    const onTable = (table: string, rows: number) => {
      deleted[table] = (deleted[table] ?? 0) + rows
      io.stderr(`Deleted ${rows} rows of ${table}`)
    }
    const users = await deleteOwnUsers(client, orgId)
    if (users > 0) onTable('users', users)
    for (const place of places) await deleteRows(place.client, orgId, onTable, place.tables)
    for (const table of analytics?.tables ?? []) {
      const rows = analytics ? await deleteRowsOf(analytics, table, orgId) : 0
      if (rows > 0) onTable(table, rows)
    }
    await audit(stores, orgId, 'organization.deleted')
    return {
      json: { org_id: orgId, deleted, retained: RETAINED_TABLES },
      lines: [`Organization ${orgId} deleted. What the books need stays`],
    }
  })

const audit = async (
  { directory, newId, clock }: Context['stores'],
  orgId: string,
  action: string,
) => {
  const at = clock.now()
  await insertAudit(directory, orgId, { id: newId(at), at, actor_user_id: null, action })
}

const announcement = (orgId: string, name: string, counts: Record<string, number>): string[] => [
  `Organization ${orgId} (${name}): its data will be deleted, and its API keys stop working first.`,
  ...Object.entries(counts).map(([table, rows]) => `  ${table}: ${rows} rows`),
  '  logs and RUM events, and users who belong to no other organization',
  `These stay for the books: ${RETAINED_TABLES.join(', ')}. Backups are not changed.`,
  ANDROID,
]
