/**
 * A connection to the engine inside of the child process, which runs one request at a time. The
 * database and the settings of a request are set before it, if they differ from the previous ones.
 */
import type { Session } from 'chdb'
import { nameLiteral, piecesOf, textLiteral } from '../sql-text.ts'
import { type FileSource, withFileSource } from './file-source.ts'

export type Work = {
  database: string
  settings: ReadonlyMap<string, string>
} & (
  | { sql: string; format: string }
  | { table: string; columns: string[]; rows: Buffer; format: string }
)

export type Done = {
  bytes: Uint8Array
  read_rows: number
  read_bytes: number
  written_rows: number
}

export type Connection = { run(work: Work): Promise<Done>; close(): void }

/**
 * @param base default settings of every request
 * @param folder for the rows of inserts that the package does not take from memory
 */
export function createConnection(
  open: () => Session,
  base: ReadonlyMap<string, string>,
  folder: string,
): Connection {
  let session = open()
  let database = 'default'
  let applied = new Map<string, string>()
  /** Whether the session has state that the next request must not inherit. */
  let isDirty = false

  const reopen = () => {
    session.close()
    session = open()
    database = 'default'
    applied = new Map()
    isDirty = false
  }
  const prepare = async (work: Work) => {
    if (work.database !== database) {
      await session.queryAsync(`USE ${nameLiteral(work.database)}`)
      database = work.database
    }
    const wanted = new Map([...base, ...work.settings])
    const changes = [
      ...[...wanted].filter(([name, value]) => applied.get(name) !== value).map(assignment),
      ...[...applied.keys()].filter((name) => !wanted.has(name)).map((name) => `${name} = DEFAULT`),
    ]
    if (changes.length > 0) await session.queryAsync(`SET ${changes.join(', ')}`)
    applied = wanted
  }
  return {
    run: async (work) => {
      if (isDirty) reopen()
      // A SET of several settings that fails may have applied some of them.
      isDirty = true
      await prepare(work)
      isDirty = 'sql' in work && changesSession(work.sql)
      if ('sql' in work) return await query(session, work)
      if (work.format !== BINARY) return await insert(session, work)
      return await withFileSource(folder, work.rows, async (source) => {
        return await insertBinary(session, work, source)
      })
    },
    close: () => session.close(),
  }
}

async function query(session: Session, work: Work & { sql: string }): Promise<Done> {
  const result = await session.queryAsync(work.sql, { format: work.format })
  const { rowsRead, bytesRead } = result
  return { bytes: result.bytes(), read_rows: rowsRead, read_bytes: bytesRead, written_rows: 0 }
}

async function insert(session: Session, work: Work & { rows: Buffer }): Promise<Done> {
  const { table, columns, rows, format } = work as Extract<Work, { table: string }>
  const { rowsWritten } = await session.insert({
    table,
    values: rows,
    format: format as 'JSONEachRow',
    ...(columns.length > 0 && { columns }),
  })
  return { bytes: new Uint8Array(), read_rows: 0, read_bytes: 0, written_rows: rowsWritten }
}

/** The package takes rows in text formats only. */
const BINARY = 'RowBinary'

/** Reads the rows from a file, so that the engine parses them without another copy in memory. */
async function insertBinary(
  session: Session,
  work: Extract<Work, { table: string }>,
  source: FileSource,
): Promise<Done> {
  const table = work.table.split('.').map(nameLiteral).join('.')
  const columns = work.columns.map(nameLiteral).join(', ')
  const structure = await structureOf(session, table, work.columns)
  await session.queryAsync(
    `INSERT INTO ${table} (${columns}) SELECT * FROM file(${textLiteral(source.path)}, ${BINARY}, ${textLiteral(structure)})`,
  )
  return { bytes: new Uint8Array(), read_rows: 0, read_bytes: source.bytes, written_rows: 0 }
}

async function structureOf(
  session: Session,
  table: string,
  columns: readonly string[],
): Promise<string> {
  const described = await session.queryAsync(`DESCRIBE TABLE ${table}`, { format: 'JSONCompact' })
  const json = Buffer.from(described.bytes()).toString('utf8')
  const { data } = JSON.parse(json) as { data: string[][] }
  const types = new Map(data.map(([name = '', type = '']) => [name, type]))
  return columns.map((name) => `${nameLiteral(name)} ${types.get(name) ?? 'String'}`).join(', ')
}

const assignment = ([name, value]: [string, string]): string => `${name} = ${textLiteral(value)}`

/** Only the beginning of a statement is examined; the rest may be rows. */
const BEGINNING_CHARS = 4096

function changesSession(sql: string): boolean {
  const code = piecesOf(sql.slice(0, BEGINNING_CHARS))
    .filter(({ kind }) => kind === 'code')
    .map(({ text }) => text)
    .join(' ')
  return /^\s*(?:set|use)\b|\btemporary\b/i.test(code)
}
