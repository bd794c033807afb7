/**
 * Copies the entries of devices and the events of browsers within the analytics engine, day by day. The copies stay
 * within their day, because entries are deleted after a month.
 */
import type { ClickHouse } from '../../src/platform/clickhouse/client.ts'

/** Copies of a row are at most an hour apart. */
const SPREAD_SECONDS = 3600
const STEP_SECONDS = 37

/** Derives an id of version 7 whose first digits stay. */
const ID = `toUUID(concat(substring(toString(id), 1, 24), lower(hex(bitXor(
  toUInt32(reinterpret(reverse(unhex(substring(toString(id), 29, 8))), 'UInt32')), toUInt32(k)))), ''))`

export type { ClickHouse }
export { ID, SPREAD_SECONDS, STEP_SECONDS }
