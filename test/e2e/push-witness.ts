/**
 * Records at certain points of the test which notifications are stored as accepted, and which ones the
 * providers have accepted without a record. Only the latter may be sent again.
 */
import { sql } from 'kysely'
import { recipientIdOf } from '../../src/modules/push/recipient-id.ts'
import { withDatabase } from './books.ts'
import type { PushProviders } from './push-providers.ts'

export type Witness = {
  /** Notifications recorded by now must not be accepted again. */
  observeRecorded(): Promise<void>
  /** Called after a kill: notifications that were accepted but not recorded may be sent again. */
  observeLost(): Promise<void>
  /** Recipients that were accepted again although their acceptance was recorded. */
  repeatedAfterRecord(accepted: ReadonlyMap<string, number>): string[]
  /** Maximum number of acceptances of a recipient. */
  allowance(recipientId: string): number
  /** Number of acceptances without a record at the time of a kill. */
  lost(): number
}

type Row = { message_id: string; subscription_id: string }

export function createWitness(
  { accepted }: Pick<PushProviders, 'accepted'>,
  dataDir: string,
): Witness {
  /** Number of acceptances of each recipient when its record was first seen. */
  const recorded = new Map<string, number>()
  /** Number of acceptances of each recipient without a record at the last kill. */
  const losses = new Map<string, number>()
  const readIds = async (status: 'accepted' | 'pending'): Promise<string[]> =>
    await withDatabase(dataDir, async (db) => {
      const { rows } = await sql<Row>`
        select message_id, subscription_id from push_recipients
        where status = ${status}`.execute(db)
      return rows.map(({ message_id, subscription_id }) =>
        recipientIdOf(message_id, subscription_id),
      )
    })
  return {
    // Reads the records before the providers, so that an acceptance in between is not taken for a repeat.
    observeRecorded: async () => {
      const ids = (await readIds('accepted')).filter((id) => !recorded.has(id))
      const counts = await accepted()
      for (const id of ids) recorded.set(id, counts.get(id) ?? 0)
    },
    observeLost: async () => {
      const ids = await readIds('pending')
      const counts = await accepted()
      for (const id of ids) if (counts.has(id)) losses.set(id, counts.get(id) ?? 0)
    },
    repeatedAfterRecord: (counts) =>
      [...recorded].flatMap(([id, count]) => (counts.get(id) === count ? [] : [id])),
    allowance: (id) => 1 + (losses.get(id) ?? 0),
    lost: () => [...losses.values()].reduce((sum, times) => sum + times, 0),
  }
}
