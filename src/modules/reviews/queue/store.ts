/**
 * Walks the queue by its indexes. None of them has what reviews are about, so that is compared row by
 * row, for a bounded number of rows per page: a page costs the same however long the history is.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { Mode } from '../../../platform/postgres/tables/platform.ts'
import type { ReviewSubjectName } from '../../../platform/postgres/tables/reviews.ts'
import type { Place, ReviewOrder } from '../page.ts'
import type { ReviewNeighbours } from '../schema.ts'
import { COLUMNS, type ReviewRow } from '../store.ts'

/** Rows that are looked at for a page, of an organisation. */
const EXAMINED_MAX = 5000

export const REVIEW_STATES = ['open', 'decided', 'all'] as const
export type ReviewState = (typeof REVIEW_STATES)[number]

export type ReviewQuery = {
  /** Only the operator leaves it out, to see all organisations. */
  org_id?: string | undefined
  mode: Mode
  state: ReviewState
  subject?: ReviewSubjectName | undefined
  order: ReviewOrder
  /** Only what comes after it. */
  after?: Place | undefined
  limit: number
}

/**
 * Each organisation is walked by an index of its own, as far as the page can reach.
 * @returns `examined` is the place of the last row that was looked at when the page was given up
 * before it was full, undefined at the end of the queue
 */
export async function listReviews(
  db: Db,
  query: ReviewQuery,
  examinedMax: number = EXAMINED_MAX,
): Promise<{ rows: ReviewRow[]; examined: Place | undefined }> {
  const rows = await walkReviews(db, query, 'forward', examinedMax)
  if (rows.length === query.limit || !isPassingOver(query)) return { rows, examined: undefined }
  const { examined, order } = walkOf(query, 'forward', examinedMax)
  const { rows: lasts } = await sql<Place>`
    select r.risk_score, r.id from organizations o cross join lateral ${examined} r
    where o.id = ${query.org_id} order by ${order} offset ${examinedMax - 1} limit 1`.execute(db)
  return { rows, examined: lasts[0] }
}

/** The review before this place and the one after it in the order of a list, as far as is looked. */
export async function findNeighbours(
  db: Db,
  query: Omit<ReviewQuery, 'limit'> & { after: Place },
): Promise<ReviewNeighbours> {
  const one = { ...query, limit: 1 }
  const [[next], [previous]] = await Promise.all([
    walkReviews(db, one, 'forward', EXAMINED_MAX),
    walkReviews(db, one, 'backward', EXAMINED_MAX),
  ])
  return { previous_id: previous?.id ?? null, next_id: next?.id ?? null }
}

type Direction = 'forward' | 'backward'

/** The operator, who sees all organisations, waits for what there is. */
const isPassingOver = ({ org_id, subject }: ReviewQuery): boolean =>
  org_id !== undefined && subject !== undefined

async function walkReviews(
  db: Db,
  query: ReviewQuery,
  direction: Direction,
  examinedMax: number,
): Promise<ReviewRow[]> {
  const { examined, order } = walkOf(query, direction, examinedMax)
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

type ReviewWalk = { examined: RawBuilder<unknown>; order: RawBuilder<unknown> }

/** Rows of one organisation `o`. Each state has an index; all of them together have two. */
function walkOf(query: ReviewQuery, direction: Direction, examinedMax: number): ReviewWalk {
  const { state, mode, subject, limit } = query
  const { place, order } = orderOf(query, direction)
  const rowsMax = isPassingOver(query) ? examinedMax : limit
  const isAbout =
    subject === undefined || isPassingOver(query) ? sql`` : sql`and r.subject = ${subject}`
  const walk = (condition: RawBuilder<unknown>) => sql`(
    select ${COLUMNS} from reviews r where r.org_id = o.id and r.mode = ${mode} and ${condition}
      ${isAbout} ${place}
    order by ${order} limit ${rowsMax})`
  if (state !== 'all') return { examined: walk(STATE_CONDITIONS[state]), order }
  const { open, decided } = STATE_CONDITIONS
  const both = sql`(
    select r.* from (${walk(open)} union all ${walk(decided)}) r order by ${order} limit ${rowsMax})`
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
