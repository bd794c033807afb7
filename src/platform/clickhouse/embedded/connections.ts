/**
 * The engine inside of the child process: a few connections to one directory, each of which does
 * one thing at a time. Settings and the database of a request are set on its connection before it,
 * and only where they differ from what the connection has.
 */
import type { Session } from 'chdb'
import { nameLiteral, piecesOf, textLiteral } from '../sql-text.ts'

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

export type Connection = {
  run(work: Work): Promise<Done>
  close(): void
}

/** @param base settings of every request that does not bring another value */
export function createConnection(
  open: () => Session,
  base: ReadonlyMap<string, string>,
): Connection {
  let session = open()
  let database = 'default'
  let applied = new Map<string, string>()
  /** Something that the next request must not inherit. */
  let isSoiled = false

  const renew = () => {
    session.close()
    session = open()
    database = 'default'
    applied = new Map()
    isSoiled = false
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
      if (isSoiled) renew()
      // Until it is through: a SET of several that failed may have set some.
      isSoiled = true
      await prepare(work)
      isSoiled = 'sql' in work && leavesTraces(work.sql)
      return 'sql' in work ? await query(session, work) : await insert(session, work)
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

const assignment = ([name, value]: [string, string]): string => `${name} = ${textLiteral(value)}`

/** What tells whether a statement leaves traces stands at its beginning; rows may follow. */
const BEGINNING_CHARS = 4096

function leavesTraces(sql: string): boolean {
  const code = piecesOf(sql.slice(0, BEGINNING_CHARS))
    .filter(({ kind }) => kind === 'code')
    .map(({ text }) => text)
    .join(' ')
  return /^\s*(?:set|use)\b|\btemporary\b/i.test(code)
}
