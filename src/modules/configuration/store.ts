/** SQL of the items that configuration files have set. */
import type { Selectable } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'
import type { ConfigurationTables, ItemKind } from './tables.ts'

export type StoredItem = Omit<Selectable<ConfigurationTables['configuration_items']>, 'org_id'>

export async function listItems(db: Db, orgId: string, limit: number): Promise<StoredItem[]> {
  return await db
    .selectFrom('configuration_items')
    .select(['kind', 'name', 'content', 'source', 'revision', 'applied_by', 'applied_at'])
    .where('org_id', '=', orgId)
    .orderBy('kind')
    .orderBy('name')
    .limit(limit)
    .execute()
}

export async function countItems(db: Db, orgId: string): Promise<number> {
  const { count } = await db
    .selectFrom('configuration_items')
    .select((query) => query.fn.countAll<string>().as('count'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function upsertItem(tx: Db, orgId: string, item: StoredItem): Promise<void> {
  const { kind: _kind, name: _name, ...values } = item
  await tx
    .insertInto('configuration_items')
    .values({ org_id: orgId, ...item })
    .onConflict((conflict) => conflict.columns(['org_id', 'kind', 'name']).doUpdateSet(values))
    .execute()
}

export async function deleteItem(
  tx: Db,
  orgId: string,
  kind: ItemKind,
  name: string,
): Promise<void> {
  await tx
    .deleteFrom('configuration_items')
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .execute()
}
