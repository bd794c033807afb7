import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import { addApplication } from '../../../../test/support/push-fixtures.ts'
import { addSubscriptions } from '../../../../test/support/push-messages.ts'
import { rowsRead } from '../../../../test/support/rows-read.ts'
import { insertMessage } from '../messages/store.ts'
import { expandStep } from './step.ts'
import { countAudience } from './store.ts'

const db = ownDatabase()
const SUBSCRIPTIONS = 20_000
const NAMED = 500

it.each(['external_user_ids', 'subscription_ids'] as const)(
  'only targets named by %s are read, even before there are statistics',
  async (target) => {
    await sql`alter table push_subscriptions set (autovacuum_enabled = false)`.execute(db)
    const app = await addApplication(db)
    const ids = await addSubscriptions(db, app, SUBSCRIPTIONS)
    await sql`update push_subscriptions set external_user_id = 'user of ' || id::text`.execute(db)
    const named = ids.filter((_, index) => index % (SUBSCRIPTIONS / NAMED) === 0)
    const id = randomUUID()
    const { org_id, application_id } = app
    const target_ids =
      target === 'subscription_ids' ? named : named.map((each) => `user of ${each}`)
    const content = { title: 'Hello' }
    const message = { id, org_id, application_id, target, target_ids, content }
    await insertMessage(db, { ...message, send_at: undefined, give_up_seconds: 3600 })
    for (const upToDate of [false, true]) {
      if (upToDate) await sql`analyze`.execute(db)
      const counted = await rowsRead(db, 'push_subscriptions', async (tx) => {
        expect(await countAudience(tx, message)).toBe(NAMED)
      })
      expect(counted).toBeLessThan(2 * NAMED)
    }
    // Once for each provider.
    const expanded = await rowsRead(db, 'push_subscriptions', async (tx) => {
      expect(await expandStep(tx, id)).toEqual({ recipients: NAMED, is_done: true })
    })
    expect(expanded).toBeLessThan(4 * NAMED)
  },
)
