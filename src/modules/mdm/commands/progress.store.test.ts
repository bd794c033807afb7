import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import { rowsRead } from '../../../../test/support/rows-read.ts'
import { listLastGroupCommands } from './progress.store.ts'

const db = ownDatabase()

it('the last commands of groups are found without reading those of other groups', async () => {
  const org_id = randomUUID()
  const busy = randomUUID()
  await sql`insert into mdm_group_commands (org_id, id, group_id, type, total, skipped, created_at)
    select ${org_id}::uuid, gen_random_uuid(), ${busy}::uuid, 'LOCK', 1, 0, now()
    from generate_series(1, 10000)`.execute(db)
  await sql`analyze mdm_group_commands`.execute(db)
  const quiet = Array.from({ length: 50 }, () => randomUUID())
  const read = await rowsRead(
    db,
    'mdm_group_commands',
    async (tx) => await listLastGroupCommands(tx, org_id, quiet),
  )
  expect(read).toBeLessThan(100)
  expect(await listLastGroupCommands(db, org_id, [...quiet, busy])).toHaveLength(1)
})
