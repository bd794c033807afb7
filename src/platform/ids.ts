/**
 * Identifiers: UUID version 7 (RFC 9562), so that new rows are appended to their index, and the ids
 * of one generator sort in the order of their creation.
 */
import { randomFillSync } from 'node:crypto'

/** Random bytes are drawn for this number of ids in one system call. */
const POOL_IDS = 128
const BYTES_PER_ID = 10
/**
 * A counter within the millisecond (RFC 9562 section 6.2). It starts at a random value in its lower
 * quarter.
 */
const COUNTER_BITS = 26
const COUNTER_START_MASK = 2 ** (COUNTER_BITS - 2) - 1
const COUNTER_MASK = 2 ** COUNTER_BITS - 1
/** The counter's low bits follow the variant; the others precede it. */
const LOW_BITS = 14
const LOW_MASK = 2 ** LOW_BITS - 1
const VARIANT = 0x8000

export type NewId = (now: Date) => string

export function createIds(): NewId {
  const pool = Buffer.alloc(POOL_IDS * BYTES_PER_ID)
  let offset = pool.length
  let lastMs: number | undefined
  let counter = 0
  return (now) => {
    if (offset === pool.length) {
      randomFillSync(pool)
      offset = 0
    }
    const ms = now.getTime()
    const isSame = ms === lastMs
    counter = isSame ? (counter + 1) & COUNTER_MASK : pool.readUInt32BE(offset) & COUNTER_START_MASK
    lastMs = ms
    const tail = pool.toString('hex', offset + 4, offset + BYTES_PER_ID)
    offset += BYTES_PER_ID
    return uuidV7(ms, counter, tail)
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A malformed identifier names a record that does not exist, without a query (OP-38). */
export const isUuid = (text: string): boolean => UUID.test(text)

/** The time with which an id of version 7 was created. */
export const timeOfId = (id: string): Date =>
  new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))

const TIME_MAX_MS = 2 ** 48 - 1

/** The lowest id of version 7 that can be created at a time; times before 1970 and after 10889 are clamped. */
export function lowestIdAt(unixMs: number): string {
  const ms = Math.min(Math.max(0, Math.floor(unixMs)), TIME_MAX_MS)
  const time = ms.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}

function uuidV7(unixMs: number, counter: number, tail: string): string {
  const time = unixMs.toString(16).padStart(12, '0')
  const high = (counter >>> LOW_BITS).toString(16).padStart(3, '0')
  const low = (VARIANT | (counter & LOW_MASK)).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${high}-${low}-${tail}`
}
