/** SQL for backups of several cells, over the organizations in them. */
import type { Client } from 'pg'
import { OperatorError } from '../../platform/operator-error.ts'

/**
 * Snapshots of several cells are not of the same instant, so an organization that moves at that time could be in none.
 *
 * @param directory in the last of the snapshots
 * @param since a time before the first snapshot, by the clock of the directory
 * @throws OperatorError if an organization moves, has moved since then, or is in a cell without a snapshot
 */
export async function refuseMoves(
  directory: Client,
  cells: readonly string[],
  since: Date,
): Promise<void> {
  if (cells.length === 1) return
  const { rows: moves } = await directory.query(
    `select from organization_moves
     where finished_at is null or finished_at >= $1 limit 1`,
    [since],
  )
  if (moves.length > 0) {
    throw new OperatorError(
      'An organization moves between cells. Take the backup when it has moved.',
    )
  }
  const { rows } = await directory.query<{ name: string }>(
    'select name from cells where not name = any($1) limit 1',
    [cells],
  )
  if (rows[0]) {
    throw new OperatorError(
      `This process does not know the cell ${rows[0].name}, which was added since it started. Restart it.`,
    )
  }
}

/** An organization that was created between both snapshots is in that of the directory only. */
export async function completeOrganizations(
  directory: Client,
  cells: ReadonlyMap<string, Client>,
): Promise<void> {
  for (const [name, cell] of cells) {
    const { rows } = await directory.query<{ ids: string[] }>(
      `select coalesce(array_agg(id), '{}') as ids from organizations where cell = $1`,
      [name],
    )
    // Only the id of a copy is read.
    await cell.query(
      `insert into organizations (id, name, plan) select id, '', 'free' from unnest($1::uuid[]) id
       on conflict do nothing`,
      [rows[0]?.ids ?? []],
    )
  }
}
