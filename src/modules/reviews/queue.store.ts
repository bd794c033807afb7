/**
 * Reads the queue by its indexes. None contains the subject, so that filter examines a bounded
 * number of rows per page, whose cost therefore does not grow with the history.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Mode } from '../../platform/owner.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Place } from './cursor.ts'
import type { ReviewNeighbors } from './schema.ts'
import { COLUMNS, type ReviewRow } from './store.ts'
import type { ReviewOrder, ReviewState, ReviewSubjectName } from './tables.ts'

/** Maximum number of rows of an organization that are examined for a page. */
const EXAMINED_MAX = 5000

export type ReviewQuery = {
  /** Only the operator omits it, to see all organizations. */
  org_id?: string | undefined
  mode: Mode
  state: ReviewState
  subject?: ReviewSubjectName | undefined
  order: ReviewOrder
  /** Position that the listed reviews must follow. */
  after?: Place | undefined
  limit: number
}

/**
 * Lists a page of reviews.
 * @returns `examined` is the position of the last examined row when the limit of examined rows
 *   ended the page early, and undefined at the end of the queue
 */
export async function listReviews(
  db: Db,
  query: ReviewQuery,
  examinedMax: number = EXAMINED_MAX,
): Promise<{ rows: ReviewRow[]; examined: Place | undefined }> {
  const rows = await readReviews(db, query, 'forward', examinedMax)
  if (rows.length === query.limit || !isBounded(query)) return { rows, examined: undefined }
  const { examined, order } = scanOf(query, 'forward', examinedMax)
  const { rows: lasts } = await sql<Place>`
    select r.risk_score, r.id from organizations o cross join lateral ${examined} r
    where o.id = ${query.org_id} order by ${order} offset ${examinedMax - 1} limit 1`.execute(db)
  return { rows, examined: lasts[0] }
}

/** Finds the reviews before and after a position of a list within the examined rows. */
export async function findNeighbors(
  db: Db,
  query: Omit<ReviewQuery, 'limit'> & { after: Place },
): Promise<ReviewNeighbors> {
  const one = { ...query, limit: 1 }
  const [[next], [previous]] = await Promise.all([
    readReviews(db, one, 'forward', EXAMINED_MAX),
    readReviews(db, one, 'backward', EXAMINED_MAX),
  ])
  return { previous_id: previous?.id ?? null, next_id: next?.id ?? null }
}

type Direction = 'forward' | 'backward'

/**
 * Whether the number of examined rows is limited, which only a subject filter needs. The operator's
 * queries over all organizations are not limited.
 */
const isBounded = ({ org_id, subject }: ReviewQuery): boolean =>
  org_id !== undefined && subject !== undefined

async function readReviews(
  db: Db,
  query: ReviewQuery,
  direction: Direction,
  examinedMax: number,
): Promise<ReviewRow[]> {
  const { examined, order } = scanOf(query, direction, examinedMax)
  const { rows } = await sql<ReviewRow>`
    select r.* from organizations o cross join lateral (
      select r.* from ${examined} r
      ${query.subject === undefined ? sql`` : sql`where r.subject = ${query.subject}`}
      order by ${order} limit ${query.limit}
    ) r
    ${query.org_id === undefined ? sql`` : sql`where o.id = ${query.org_id}`}
    order by ${order} limit ${query.limit}`.execute(db)
  return rows
}

type Scan = { examined: RawBuilder<unknown>; order: RawBuilder<unknown> }

/**
 * SQL for the rows of organization `o` in a state. Open and decided reviews have one index each,
 * and all of them together use both.
 */
function scanOf(query: ReviewQuery, direction: Direction, examinedMax: number): Scan {
  const { state, mode, subject, limit } = query
  const { place, order } = orderOf(query, direction)
  const rowsMax = isBounded(query) ? examinedMax : limit
  const isAbout =
    subject === undefined || isBounded(query) ? sql`` : sql`and r.subject = ${subject}`
  const scan = (condition: RawBuilder<unknown>) => sql`(
    select ${COLUMNS} from reviews r where r.org_id = o.id and r.mode = ${mode} and ${condition}
      ${isAbout} ${place}
    order by ${order} limit ${rowsMax})`
  if (state !== 'all') return { examined: scan(STATE_CONDITIONS[state]), order }
  const { open, decided } = STATE_CONDITIONS
  const both = sql`(
    select r.* from (${scan(open)} union all ${scan(decided)}) r order by ${order} limit ${rowsMax})`
  return { examined: both, order }
}

const STATE_CONDITIONS = {
  open: sql`r.decision is null`,
  decided: sql`r.decision is not null`,
}

function orderOf({ order, after }: ReviewQuery, direction: Direction) {
  const [beyond, way] = direction === 'forward' ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`]
  const byScore = order === 'highest'
  const place = byScore
    ? sql`and (r.risk_score, r.id) ${beyond} (${after?.risk_score}::smallint, ${after?.id}::uuid)`
    : sql`and r.id ${beyond} ${after?.id}::uuid`
  return {
    place: after === undefined ? sql`` : place,
    order: byScore ? sql`r.risk_score ${way}, r.id ${way}` : sql`r.id ${way}`,
  }
}
