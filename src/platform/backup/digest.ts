/**
 * A digest of a set of rows that does not depend on their order, because a restored table can return its
 * rows in another one: the sums of two 48-bit parts of the SHA-256 of each row. It finds rows that are
 * missing, doubled or changed by mistake. Changes on purpose are what the encryption detects.
 */
import { createHash } from 'node:crypto'

export type Digest = {
  /** @param row with its line break */
  add(row: Buffer): void
  /** @param lines any number of complete rows */
  addLines(lines: Buffer): void
  value(): { rows: number; digest: string }
}

const PART_BYTES = 6
const MODULUS = 2 ** 48
const NEWLINE = 10

export function createDigest(): Digest {
  let rows = 0
  let first = 0
  let second = 0
  const add = (row: Buffer) => {
    const hash = createHash('sha256').update(row).digest()
    first = (first + hash.readUIntBE(0, PART_BYTES)) % MODULUS
    second = (second + hash.readUIntBE(PART_BYTES, PART_BYTES)) % MODULUS
    rows += 1
  }
  const hex = (part: number) => part.toString(16).padStart(PART_BYTES * 2, '0')
  return {
    add,
    addLines: (lines) => {
      let start = 0
      for (let end = lines.indexOf(NEWLINE); end >= 0; end = lines.indexOf(NEWLINE, start)) {
        add(lines.subarray(start, end + 1))
        start = end + 1
      }
    },
    value: () => ({ rows, digest: hex(first) + hex(second) }),
  }
}
