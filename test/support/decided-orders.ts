/** Decided orders of an organization, enough to learn weights from. */

import { ORDER_SIGNALS } from '../../src/modules/orders/scoring/signals.ts'
import { type OrderRow, orderWriter } from '../../src/modules/orders/store.ts'
import { recordOf } from '../../src/modules/risk/index.ts'
import { createIds } from '../../src/platform/ids.ts'
import type { Owner } from '../../src/platform/owner.ts'
import type { Database } from '../../src/platform/postgres/db.ts'
import { createRandom } from '../../src/platform/random.ts'
import { DAY_MS } from '../../src/platform/time-units.ts'

const newId = createIds()

const NOW = new Date()
export const FRAUDS = 165
export const ORDERS = 1320

/**
 * Stores orders of the last hundred days: one in eight is fraud, from suspicious devices, and one in
 * five of the others is far from home.
 */
export async function storeDecidedOrders(
  db: Database,
  owner: Owner,
  labels: 'right' | 'wrong' = 'right',
): Promise<void> {
  const random = createRandom(9, 'stored')
  const rows: OrderRow[] = []
  const frauds: OrderRow[] = []
  for (let i = 0; i < ORDERS; i += 1) {
    const is_fraud = i % (ORDERS / FRAUDS) === 3
    const device = random.chance(is_fraud ? 0.9 : 0.01) ? 80 : 0
    const location = random.chance(0.2) ? 85 : 0
    const created_at = new Date(NOW.getTime() - (110 - (100 * i) / ORDERS) * DAY_MS)
    const score = Math.max(device, location)
    const row: OrderRow = {
      ...owner,
      id: newId(created_at),
      seq: 1000 + i,
      profile_id: undefined,
      request: { external_order_id: `h-${i}`, amount_cents: 5000 },
      context: { local_hour: 12 },
      risk: {
        risk_score: score,
        risk_level: 'low',
        signals: recordOf(ORDER_SIGNALS, () => 0),
        flags: [],
        flagged_for_review: score >= 50,
      },
      measurements: recordOf(ORDER_SIGNALS, (signal) => ({
        score: signal === 'device_anomaly' ? device : signal === 'location_anomaly' ? location : 0,
        finding: null,
        numbers: {},
      })),
      adjustments: [],
      shadows: [],
      rules_version: 0,
      ordered_at: created_at,
      created_at,
    }
    rows.push(row)
    if (labels === 'right' ? is_fraud : score === 0 && frauds.length < FRAUDS) frauds.push(row)
  }
  await orderWriter.write(rows).execute(db)
  await db
    .insertInto('review_decisions')
    .values(
      frauds.map(({ id, created_at }) => ({
        ...owner,
        subject_id: id,
        number: 1,
        subject: 'order' as const,
        decision: 'confirmed_fraud' as const,
        after_seq: ORDERS,
        decided_at: created_at,
        decided_by: 'cli',
        note: null,
        source: null,
      })),
    )
    .execute()
}
