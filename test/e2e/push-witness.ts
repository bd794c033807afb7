/**
 * Remembers, at instants of the test, which notifications were recorded as accepted, and which the
 * providers had accepted without a record: only these may ever come a second time.
 */
import { sql } from 'kysely'
import { recipientIdOf } from '../../src/modules/push/recipient-id.ts'
import { withDatabase } from './books.ts'
import type { PushProviders } from './push-providers.ts'

export type Witness = {
  /** What is recorded now must not be accepted again. */
  noteRecorded(): Promise<void>
  /** Somebody died: what the providers accepted and nobody recorded may come again. */
  noteLost(): Promise<void>
  /** Of the recipients that are told: those that came again although they were recorded. */
  cameAfterRecord(accepted: ReadonlyMap<string, number>): string[]
  /** How often this one may have come. */
  allowance(recipientId: string): number
  /** Acceptances that were without a record when somebody died. */
  lost(): number
}

type Row = { message_id: string; subscription_id: string }

export function createWitness(
  { accepted }: Pick<PushProviders, 'accepted'>,
  dataDir: string,
): Witness {
  /** How often each had been accepted when its record was seen. */
  const recorded = new Map<string, number>()
  /** How often each had been accepted, without a record, when somebody died last. */
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
    // First the records, then the providers: what came in between came after a record, or is not in it.
    noteRecorded: async () => {
      const ids = (await readIds('accepted')).filter((id) => !recorded.has(id))
      const counts = await accepted()
      for (const id of ids) recorded.set(id, counts.get(id) ?? 0)
    },
    noteLost: async () => {
      const ids = await readIds('pending')
      const counts = await accepted()
      for (const id of ids) if (counts.has(id)) losses.set(id, counts.get(id) ?? 0)
    },
    cameAfterRecord: (counts) =>
      [...recorded].flatMap(([id, count]) => (counts.get(id) === count ? [] : [id])),
    allowance: (id) => 1 + (losses.get(id) ?? 0),
    lost: () => [...losses.values()].reduce((sum, times) => sum + times, 0),
  }
}
