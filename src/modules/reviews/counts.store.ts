/** Counts open reviews and the outcomes of recent decisions over a bounded number of rows. */

import { sql } from 'kysely'
import type { Owner } from '../../platform/owner.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { DAY_MS } from '../../platform/time-units.ts'
import type { ReviewCounts } from './schema.ts'
import type { Decision, ReviewSubjectName } from './tables.ts'

const OPEN_MAX = 10_000
/** Limit for orders and for cashier actions each. */
const DECISIONS_MAX = 2000
const DAYS = 30

export async function countReviews(db: Db, owner: Owner, now: Date): Promise<ReviewCounts> {
  const [open, orders, actions] = await Promise.all([
    countOpen(db, owner),
    countDecided(db, owner, 'order', now),
    countDecided(db, owner, 'cashier_action', now),
  ])
  return {
    open,
    decided: {
      order: orders.decided,
      cashier_action: actions.decided,
      days: DAYS,
      is_complete: orders.is_complete && actions.is_complete,
    },
  }
}

async function countOpen(db: Db, { org_id, mode }: Owner): Promise<ReviewCounts['open']> {
  const { rows } = await sql<{ subject: ReviewSubjectName; count: number }>`
    select subject, count(*)::integer as count from (
      select subject from reviews
      where org_id = ${org_id} and mode = ${mode} and decision is null
      order by id desc limit ${OPEN_MAX}) r
    group by subject`.execute(db)
  const counts = { order: 0, alert: 0, cashier_action: 0 }
  let sum = 0
  for (const { subject, count } of rows) {
    counts[subject] = count
    sum += count
  }
  return { ...counts, is_complete: sum < OPEN_MAX }
}

/** Counts only the latest decision about each subject. */
async function countDecided(
  db: Db,
  { org_id, mode }: Owner,
  subject: 'order' | 'cashier_action',
  now: Date,
): Promise<{ decided: Record<Decision, number>; is_complete: boolean }> {
  const since = new Date(now.getTime() - DAYS * DAY_MS)
  const { rows } = await sql<{ decision: Decision; count: number }>`
    with latest as materialized (
      select org_id, subject_id, number, decision, decided_at from review_decisions
      where org_id = ${org_id} and mode = ${mode} and subject = ${subject}
      order by position desc limit ${DECISIONS_MAX})
    select decision, count(*)::integer as count
    from latest d where decided_at >= ${since} and not exists (
      select 1 from review_decisions later where later.org_id = d.org_id
        and later.subject_id = d.subject_id and later.number = d.number + 1)
    group by decision`.execute(db)
  const decided = { confirmed_fraud: 0, legitimate: 0 }
  for (const { decision, count } of rows) decided[decision] = count
  const inPeriod = decided.confirmed_fraud + decided.legitimate
  return { decided, is_complete: inPeriod < DECISIONS_MAX }
}
