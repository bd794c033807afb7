/**
 * Identifiers: UUID version 7 (RFC 9562), so that new rows land at the end of their index
 * instead of all over it.
 */
import { randomFillSync } from 'node:crypto'

/** Random bytes are drawn for many ids at once: one system call instead of hundreds. */
const POOL_IDS = 128
const BYTES_PER_ID = 10

export type NewId = (now: Date) => string

export function createIds(): NewId {
  const pool = Buffer.alloc(POOL_IDS * BYTES_PER_ID)
  let offset = pool.length
  return (now) => {
    if (offset === pool.length) {
      randomFillSync(pool)
      offset = 0
    }
    const random = pool.subarray(offset, offset + BYTES_PER_ID)
    offset += BYTES_PER_ID
    return uuidV7(now.getTime(), random)
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Malformed identifiers are looked up nowhere: the record simply does not exist (OP-38). */
export const isUuid = (text: string): boolean => UUID.test(text)

function uuidV7(unixMs: number, random: Uint8Array): string {
  const time = unixMs.toString(16).padStart(12, '0')
  const tail = Buffer.from(random).toString('hex')
  const variant = '89ab'.charAt((random[2] ?? 0) & 3)
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${tail.slice(0, 3)}-${variant}${tail.slice(5, 8)}-${tail.slice(8, 20)}`
}
