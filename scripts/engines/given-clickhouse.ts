/** A ClickHouse server or cluster that is not started by the tests: `CLICKHOUSE_TEST_URL` and `CLICKHOUSE_TEST_CLUSTER`. */
import type { ClickHouseAddress } from '../../src/platform/clickhouse/client.ts'
import { addressOf } from '../../src/platform/clickhouse/engine.ts'

/** The account creates and drops databases. */
export function givenClickHouse(): ClickHouseAddress | undefined {
  const given = process.env['CLICKHOUSE_TEST_URL']
  return given === undefined ? undefined : addressOf(given)
}

/** Name of the cluster in which the tables of the tests are created; undefined for a single server. */
export const givenCluster = (): string | undefined =>
  givenClickHouse() && process.env['CLICKHOUSE_TEST_CLUSTER']
