/** Sessions, which count once per calendar month and mode. */

import { hash } from 'node:crypto'
import type { Owner } from '../../platform/owner.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { type Row, rowFor } from '../../platform/postgres/rows.ts'
import { DAY_MS } from '../../platform/time-units.ts'
import { monthOf } from '../billing/index.ts'
import { deleteSessionsBefore, sessionWriter } from './store.ts'

/** Half of a SHA-256 suffices to distinguish the sessions of one organization. */
const HASH_BYTES = 16

/** Returns the row to write in the transaction that stores the events of the session. */
export const sessionRow = (session: Owner & { session_id: string; received_at: Date }): Row =>
  rowFor(sessionWriter, {
    org_id: session.org_id,
    mode: session.mode,
    month: monthOf(session.received_at),
    session_hash: hash('sha256', session.session_id, 'buffer').subarray(0, HASH_BYTES),
  })

/** Sessions stay for a day after their month, because the clock of another node can be behind. */
export const sweepSessions = async (db: Db, now: Date): Promise<number> =>
  await deleteSessionsBefore(db, monthOf(new Date(now.getTime() - DAY_MS)))
