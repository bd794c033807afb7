import { randomInt } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'

/** `randomInt` takes less than 2^48. */
const SEEDS = 2 ** 47

/**
 * Orders rows at random, in another order for each statement. Citus refuses `random()` in a statement that writes,
 * because its servers would not agree on the result.
 *
 * @param id expression of type uuid
 */
export const shuffled = (id: RawBuilder<unknown>): RawBuilder<string> =>
  sql<string>`uuid_hash_extended(${id}, ${randomInt(SEEDS)}::bigint)`
