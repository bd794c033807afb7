/** SQL for moves of organizations, in the directory. */
import { type Selectable, sql } from 'kysely'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { insertAudit } from '../../audit/index.ts'
import type { CellTables } from '../tables.ts'

export type MoveRow = Selectable<CellTables['organization_moves']>

/** At most one is under way. */
export async function findMoveUnderWay(directory: Db): Promise<MoveRow | undefined> {
  return await directory
    .selectFrom('organization_moves')
    .selectAll()
    .where('finished_at', 'is', null)
    .executeTakeFirst()
}

/** @returns undefined if it was canceled */
export async function findMove(
  directory: Db,
  { org_id, id }: Pick<MoveRow, 'org_id' | 'id'>,
): Promise<MoveRow | undefined> {
  return await directory
    .selectFrom('organization_moves')
    .selectAll()
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** @returns false if another move is under way */
export async function insertMove(
  directory: Db,
  move: Pick<MoveRow, 'org_id' | 'id' | 'source' | 'target'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await directory
    .insertInto('organization_moves')
    .values(move)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Requests that may write wait from now on, until the move ends or this time is over. */
export async function pauseRequests(directory: Db, orgId: string, seconds: number): Promise<void> {
  await sql`update organizations set paused_until = now() + make_interval(secs => ${seconds})
    where id = ${orgId}`.execute(directory)
}

export async function resumeRequests(directory: Db, orgId: string): Promise<void> {
  await sql`update organizations set paused_until = null where id = ${orgId}`.execute(directory)
}

/** Requests are handled in the target from now on. */
export async function switchCell(
  directory: Database,
  { org_id, id, source, target }: MoveRow,
  at: Date,
): Promise<void> {
  await directory.transaction().execute(async (tx) => {
    await sql`update organizations set cell = ${target}, paused_until = null
      where id = ${org_id}`.execute(tx)
    await sql`update organization_moves set switched_at = now()
      where org_id = ${org_id} and id = ${id}`.execute(tx)
    const details = { from: source, to: target }
    await insertAudit(tx, org_id, {
      id,
      at,
      actor_user_id: null,
      action: 'organization.moved',
      details,
    })
  })
}

export async function recordVerified(directory: Db, move: MoveRow, rows: number): Promise<void> {
  await sql`update organization_moves set verified_rows = verified_rows + ${rows}
    where org_id = ${move.org_id} and id = ${move.id}`.execute(directory)
}

/** Milliseconds until this time after the switch, by the clock of the database. */
export async function findRemainingMs(
  directory: Db,
  { org_id, id }: MoveRow,
  seconds: number,
): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    select ceil(extract(epoch from switched_at - now()) * 1000)::integer as ms
    from organization_moves where org_id = ${org_id} and id = ${id}`.execute(directory)
  return Math.max(0, (rows[0]?.ms ?? 0) + seconds * 1000)
}

export async function finishMove(directory: Db, { org_id, id }: MoveRow): Promise<void> {
  await sql`update organization_moves set finished_at = now()
    where org_id = ${org_id} and id = ${id}`.execute(directory)
}

export async function deleteMove(directory: Db, { org_id, id }: MoveRow): Promise<void> {
  await sql`delete from organization_moves
    where org_id = ${org_id} and id = ${id} and switched_at is null`.execute(directory)
}
