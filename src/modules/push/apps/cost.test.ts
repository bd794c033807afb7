/** What looking for a token reads in a table that was filled within the last minute, before the first statistics of it exist. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { lockCandidates } from '../subscriptions/token-placement.store.ts'
import { lockSubscriptions } from './registration.store.ts'

const db = testDatabase()
const REGISTERED = 3000
const LOOKED_FOR = 20

/** Rows of subscriptions that the transaction has read so far. */
async function countRead(tx: Db): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select (coalesce(idx_tup_fetch, 0) + seq_tup_read)::float8 as read
    from pg_stat_xact_user_tables where relname = 'push_subscriptions'`.execute(tx)
  return rows[0]?.read ?? 0
}

it('reads few other subscriptions of the organization', async () => {
  const owner = { org_id: randomUUID(), application_id: randomUUID() }
  const subscriptions = await sql<{ id: string; token_hash: string }>`
    insert into push_subscriptions (org_id, application_id, id, provider, token, token_hash,
      token_registered_at, permission, created_at, updated_at)
    select ${owner.org_id}, ${owner.application_id}, gen_random_uuid(), 'fcm', 'token', gen_random_uuid(),
      now(), 'granted', now(), now()
    from generate_series(1, ${REGISTERED}::integer) returning id, token_hash`.execute(db)
  const known = subscriptions.rows.slice(0, LOOKED_FOR)
  await db.transaction().execute(async (tx) => {
    const tokens = known
      .flatMap(({ token_hash }) => [token_hash, randomUUID()])
      .map((token_hash) => ({ ...owner, provider: 'fcm' as const, token_hash }))
    const found = await lockSubscriptions(tx, [], tokens)
    expect(new Set(found.map(({ id }) => id))).toEqual(new Set(known.map(({ id }) => id)))
    const [{ token_hash } = { token_hash: '' }] = known
    const placement = { ...owner, provider: 'fcm' as const, token: 'token', new_id: randomUUID() }
    expect(await lockCandidates(tx, placement, token_hash)).toHaveLength(1)
    expect(await lockCandidates(tx, placement, randomUUID())).toEqual([])
    expect(await countRead(tx)).toBeLessThan(5 * LOOKED_FOR)
  })
  await sql`delete from push_subscriptions where org_id = ${owner.org_id}`.execute(db)
})
