/** Sessions count once per calendar month and mode; they are told apart by a hash of their id. */
import { hash } from 'node:crypto'
import type { Db } from '../../platform/postgres/db.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import { type Row, rowFor } from '../../platform/states/index.ts'
import { monthOf } from '../billing/index.ts'
import { deleteSessionsBefore, sessionWriter } from './store.ts'

/** Half of a SHA-256: it has to tell sessions of one organisation apart, nothing else. */
const HASH_BYTES = 16
const DAY_MS = 86_400_000

/** To be written in the transaction that stores the events of the session. */
export const seenSession = (session: {
  org_id: string
  mode: Mode
  session_id: string
  received_at: Date
}): Row =>
  rowFor(sessionWriter, {
    org_id: session.org_id,
    mode: session.mode,
    month: monthOf(session.received_at),
    session_hash: hash('sha256', session.session_id, 'buffer').subarray(0, HASH_BYTES),
  })

/** The month that ended a moment ago stays for a day: another node's clock may be in it still. */
export const sweepSessions = async (db: Db, now: Date): Promise<number> =>
  await deleteSessionsBefore(db, monthOf(new Date(now.getTime() - DAY_MS)))
