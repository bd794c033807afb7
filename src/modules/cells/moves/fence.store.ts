/**
 * The fence of an organization that moves, in its source. Triggers record the keys of written rows, and refuse
 * writes while the fence is closed (migrations/postgres/0037_organization_moves.sql).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { OperatorError } from '../../../platform/operator-error.ts'
import { quoted } from '../../../platform/postgres/dump.ts'
import type { MovedTable } from './shape.store.ts'

export type FenceState = 'copying' | 'paused' | 'moved' | 'arrived'

/** A statement that waits for a lock makes later transactions wait behind it, so it gives up soon and is tried again. */
const LOCK_TIMEOUT_MS = 2000
const RETRY_PAUSE_MS = 500
const ATTEMPTS_MAX = 60
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'

/**
 * Lets one process at a time work on a side of a move. The server releases the lock with the connection, so all
 * changes of a side go through the connection that has its lock.
 *
 * @throws OperatorError if another process has it
 */
export async function lockSide(client: Client): Promise<void> {
  const { rows } = await client.query<{ is_held: boolean }>(
    `select pg_try_advisory_lock(hashtextextended(current_schema() || '.organization_moves', 0)) as is_held`,
  )
  if (rows[0]?.is_held !== true) throw new OperatorError('Another process moves an organization')
}

export async function findFence(client: Client, orgId: string): Promise<FenceState | undefined> {
  const { rows } = await client.query<{ state: FenceState }>(
    'select state from organization_fences where org_id = $1',
    [orgId],
  )
  return rows[0]?.state
}

export async function insertFence(
  client: Client,
  orgId: string,
  state: 'copying' | 'arrived',
): Promise<void> {
  await client.query('insert into organization_fences (org_id, state) values ($1, $2)', [
    orgId,
    state,
  ])
}

/** Adding a trigger waits for the transactions that have written to its table, so none remains unrecorded. */
export async function addGuards(
  client: Client,
  orgId: string,
  tables: readonly MovedTable[],
): Promise<void> {
  for (const { name, key } of tables) {
    const run = `for each row when (%.org_id = '${orgId}')
      execute function guard_moving_organization('${orgId}', ${key.map((column) => `'${column}'`).join(', ')})`
    await patiently(client, [
      `create or replace trigger moving_organization_writes after insert or update
       on ${quoted(name)} ${run.replace('%', 'new')}`,
      `create or replace trigger moving_organization_deletes after delete
       on ${quoted(name)} ${run.replace('%', 'old')}`,
    ])
  }
}

export async function dropGuards(client: Client, tables: readonly MovedTable[]): Promise<void> {
  for (const { name } of tables) {
    await patiently(client, [
      `drop trigger if exists moving_organization_writes on ${quoted(name)}`,
      `drop trigger if exists moving_organization_deletes on ${quoted(name)}`,
    ])
  }
}

/** Refuses writes for this time. Writes that are under way are waited for. */
export async function pauseWrites(client: Client, orgId: string, seconds: number): Promise<void> {
  await withFence(client, orgId, [
    `update organization_fences
     set state = 'paused', paused_until = clock_timestamp() + interval '${seconds} seconds'
     where org_id = '${orgId}' and state in ('copying', 'paused')`,
  ])
}

export async function resumeWrites(client: Client, orgId: string): Promise<void> {
  await withFence(client, orgId, [
    `update organization_fences set state = 'copying', paused_until = null
     where org_id = '${orgId}' and state = 'paused'`,
  ])
}

/**
 * Refuses writes for good. From here on, the organization belongs to the target.
 *
 * @returns false if the pause ended before, or a row was written that the target does not have
 */
export async function closeFence(client: Client, orgId: string): Promise<boolean> {
  await withFence(client, orgId, [
    `update organization_fences set state = 'moved', paused_until = null
     where org_id = '${orgId}' and state = 'paused' and paused_until > clock_timestamp()
       and not exists (select from organization_changes
         where org_id = '${orgId}' and table_name <> 'analytics_spool')`,
  ])
  return (await findFence(client, orgId)) === 'moved'
}

/** In a transaction that no transaction with a write of the organization overlaps. */
const withFence = async (client: Client, orgId: string, statements: readonly string[]) =>
  await patiently(client, [
    `select pg_advisory_xact_lock(hashtextextended(current_schema() || '.${orgId}', 0))`,
    ...statements,
  ])

async function patiently(client: Client, statements: readonly string[]): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query('begin')
      await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
      for (const statement of statements) await client.query(statement)
      await client.query('commit')
      return
    } catch (error) {
      await client.query('rollback').catch(() => undefined)
      const { code } = error as { code?: unknown }
      if (attempt === ATTEMPTS_MAX || (code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK)) {
        throw error
      }
      await sleep(RETRY_PAUSE_MS)
    }
  }
}
