/**
 * Finds rows by a part of their name or id with indexes: of the starts, of the ends, and of all runs of three characters
 * of names. Shorter parts in the middle of names are found among a bounded number of rows.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Owner } from '../owner.ts'
import type { Db } from './db.ts'

/** A row as a search shows it: its name, a remark, and the page about it. */
export type Hit = { name: string; remark: string | null; link: string }

export type Search = Owner & {
  text: string
  /** Maximum number of hits. */
  limit: number
}

export type Finder = (db: Db, search: Search) => Promise<Hit[]>

/** Number of rows with names that are compared one by one. */
export const COMPARED_MAX = 5000
/** Finds parts that many names have, where the index of runs would collect all of these names first. */
const COMPARED_BEFORE_GRAMS = 500

const ID_DIGITS_MIN = 6
const ID_DIGITS = 32
/** Sorts behind each text that continues a start. */
const HIGHEST = '\u{10ffff}'

type Range = { from: string; to: string }

/** The ids that begin with a text; undefined if it cannot be the start of an id. */
export function idsStartingWith(text: string): Range | undefined {
  const digits = text.replaceAll('-', '').toLowerCase()
  if (!/^[0-9a-f]+$/.test(digits)) return undefined
  if (digits.length < ID_DIGITS_MIN || digits.length > ID_DIGITS) return undefined
  return { from: digits.padEnd(ID_DIGITS, '0'), to: digits.padEnd(ID_DIGITS, 'f') }
}

/** A condition that an index on the expression with the collation "C" answers. */
export const startsWith = (expression: RawBuilder<unknown>, text: string): RawBuilder<unknown> =>
  sql`(${expression} collate "C") >= ${text} and (${expression} collate "C") < ${text + HIGHEST}`

/** A condition that is checked row by row, without regard to letter case. */
export const contains = (expression: RawBuilder<unknown>, text: string): RawBuilder<unknown> =>
  sql`strpos(lower(${expression}), lower(${text})) > 0`

/**
 * Whether a JSON document can have the text in one of its values, without regard to letter case. It costs less
 * than parsing the document, and a row without the text needs no more. Letters beyond ASCII have several forms, so they are
 * left to the parsing.
 */
export function mayContain(document: RawBuilder<unknown>, text: string): RawBuilder<unknown> {
  // Documents were written by JSON.stringify, which escapes quotes in the same way.
  const written = JSON.stringify(text).slice(1, -1).toLowerCase()
  return /^[ -~]*$/.test(text)
    ? sql`strpos(lower(${document}::text collate "C"), ${written}) > 0`
    : sql`true`
}

export const reversed = (text: string): string => Array.from(text).toReversed().join('')

/** A slow search must not hold a connection. @param tx a transaction for this search alone */
export async function limitStatements(tx: Db, timeoutMs: number): Promise<void> {
  await sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`.execute(tx)
}

type GramTable<Row> = {
  table: string
  /** The text that the index contains. */
  name: RawBuilder<unknown>
  select: RawBuilder<Row>
  /** The mode of the rows, as the index has it. */
  mode?: RawBuilder<unknown>
}

const GRAM_CHARS = 3
/** Number of entries of the index that are enough to show hits, if each run of the part has more. */
const COLLECTED_BEFORE_ALL = 2000
const ALL = 0
const hasGrams = (text: string): boolean => Array.from(text).length >= GRAM_CHARS

/**
 * Finds a part of a name anywhere. The rows of other organizations are in the index, and are not read. The first reading
 * takes some of the names that have a frequent run, because the index would collect all of them before it shows one.
 */
export async function findMiddles<Row>(
  db: Db,
  { table, name, select, mode = sql`mode` }: GramTable<Row>,
  search: Search,
): Promise<Row[]> {
  if (!hasGrams(search.text)) return []
  const text = search.text.toLowerCase()
  // The organization is compared afterwards, so that the planner has no other index to choose.
  const query = sql<Row>`
    with found as materialized (
      select * from ${sql.table(table)}
      where name_grams(org_id, ${mode}, ${name}) @> name_grams(${search.org_id}, ${search.mode}, ${text})
        and strpos(${name}, ${text}) > 0
      limit ${search.limit})
    select ${select} from found where org_id = ${search.org_id} and ${mode} = ${search.mode}`
  // An index of arrays is only read as a bitmap.
  await sql`select set_config('enable_bitmapscan', 'on', true)`.execute(db)
  let rows: Row[] = []
  for (const entries of [COLLECTED_BEFORE_ALL, ALL]) {
    await sql`select set_config('gin_fuzzy_search_limit', ${String(entries)}, true)`.execute(db)
    rows = (await query.execute(db)).rows
    if (rows.length === search.limit) break
  }
  await sql`select set_config('enable_bitmapscan', 'off', true),
    set_config('gin_fuzzy_search_limit', '0', true)`.execute(db)
  return rows
}

type NamedTable = {
  table: string
  /** The column with the name, which has indexes for its start and its end. */
  name: string
}

type Named = { id: string; name: string }

/** The ids and names that match best, in this sequence: id, start of the name, end of the name, middle. */
export async function findNamed(
  db: Db,
  { table, name }: NamedTable,
  search: Search,
): Promise<Named[]> {
  const { org_id, mode, text, limit } = search
  const column = sql.ref(name)
  const lowered = sql`lower(${column})`
  const end = sql`reverse(lower(${column}))`
  const from = sql`select id, ${column} as name from ${sql.table(table)}
    where org_id = ${org_id} and mode = ${mode}`
  // The condition of the indexes for starts and ends, which look-ups by the whole name must not use.
  const indexed = sql`${from} and length(${column}) > 0`
  const ids = idsStartingWith(text)
  const wanted = text.toLowerCase()
  const compared = hasGrams(text) ? COMPARED_BEFORE_GRAMS : COMPARED_MAX
  const parts = [
    ids && sql`${from} and id between ${ids.from}::uuid and ${ids.to}::uuid order by id`,
    sql`${indexed} and ${startsWith(lowered, wanted)} order by (${lowered} collate "C")`,
    sql`${indexed} and ${startsWith(end, reversed(wanted))} order by (${end} collate "C")`,
    sql`select id, ${column} as name from (
        select id, mode, ${column} from ${sql.table(table)} where org_id = ${org_id}
        order by id desc limit ${sql.lit(compared)}) newest
      where mode = ${mode} and ${contains(column, text)}`,
  ].flatMap((part, rank) =>
    part ? [sql`(select id, name, ${sql.lit(rank)} as rank from (${part} limit ${limit}) p)`] : [],
  )
  const { rows } = await sql<Named>`
    select id, name from (${sql.join(parts, sql` union all `)}) found
    group by id, name order by min(rank), name limit ${limit}`.execute(db)
  if (rows.length === limit) return rows
  const middles = await findMiddles<Named>(
    db,
    { table, name: sql`lower(left(${column}, 100))`, select: sql`id, ${column} as name` },
    search,
  )
  const known = new Set(rows.map(({ id }) => id))
  return [...rows, ...middles.filter(({ id }) => !known.has(id))].slice(0, limit)
}
