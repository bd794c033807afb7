import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { ownDatabase } from '../../test/database.ts'
import { useHarness } from '../../test/harness.ts'
import { addPushSubscriptions, clearPush, someTokens } from '../../test/support/push-dispatch.ts'
import { addApplication } from '../../test/support/push-fixtures.ts'
import { readConfig } from '../config.ts'
import { createLog } from '../platform/log.ts'
import { DAY_MS } from '../platform/time-units.ts'
import { createPushPart } from './push.ts'
import { sweepAll } from './retention.ts'

const db = ownDatabase()
const harness = useHarness({ db })
const NOW = new Date()
const log = createLog('silent')

describe('subscriptions whose tokens are dead', () => {
  it.each([
    ['90', ['89 days', 'reachable']],
    ['80', ['reachable']],
    ['0', ['200 days', '89 days', 'reachable']],
  ])('are deleted after VIGIL_PUSH_RETENTION_DAYS=%s', async (days, remaining) => {
    await clearPush(db)
    const ids = await addPushSubscriptions(db, await addApplication(db), someTokens(3))
    const names = new Map(ids.map((id, index) => [id, ['200 days', '89 days', 'reachable'][index]]))
    for (const [index, age] of [200, 89].entries()) {
      await sql`update push_subscriptions set invalid_reason = 'UNREGISTERED',
        invalidated_at = ${new Date(NOW.getTime() - age * DAY_MS)} where id = ${ids[index]}`.execute(
        db,
      )
    }
    const config = readConfig({ VIGIL_PUSH_RETENTION_DAYS: days })
    const { sweeps } = createPushPart({ ...harness().core, config })
    await sweepAll(sweeps?.(NOW) ?? [], { log, signal: AbortSignal.timeout(60_000) })
    const left = await db.selectFrom('push_subscriptions').select('id').orderBy('id').execute()
    expect(left.map(({ id }) => names.get(id))).toEqual(remaining)
  })
})
