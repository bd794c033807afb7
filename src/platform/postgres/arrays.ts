/**
 * Encodes array parameters in the binary format of the protocol. Writing and parsing text arrays with
 * quotes and escapes is otherwise most of the cost of a batch. Each function names the type to which
 * the parameter must be cast.
 */

const UUID_OID = 2950
const BYTEA_OID = 17
const TEXT_OID = 25
const JSON_OID = 114
const TIMESTAMPTZ_OID = 1184
const FLOAT8_OID = 701

const HEAD_BYTES = 20
const LENGTH_BYTES = 4
const UUID_BYTES = 16
const NUMBER_BYTES = 8
/** Maximum bytes of UTF-8 per UTF-16 code unit. */
const BYTES_PER_CHAR_MAX = 3
/** PostgreSQL counts microseconds from the year 2000. */
const EPOCH_MS = Date.UTC(2000, 0, 1)

/** `uuid[]`, from UUIDs with hyphens. Repeated neighbors, which are common, are copied. */
export function uuidArray(values: readonly string[]): Buffer {
  let last: string | undefined
  let lastAt = 0
  return fixedArray(UUID_OID, UUID_BYTES, values, (buffer, value, at) => {
    if (value === last) {
      buffer.copy(buffer, at, lastAt, lastAt + UUID_BYTES)
      return
    }
    writeUuid(buffer, value, at)
    last = value
    lastAt = at
  })
}

/** `float8[]` */
export const numberArray = (values: readonly number[]): Buffer =>
  fixedArray(FLOAT8_OID, NUMBER_BYTES, values, (buffer, value, at) => {
    buffer.writeDoubleBE(value, at)
  })

/** `timestamptz[]` */
export const timeArray = (values: readonly Date[]): Buffer =>
  fixedArray(TIMESTAMPTZ_OID, NUMBER_BYTES, values, (buffer, value, at) => {
    buffer.writeBigInt64BE(BigInt(value.getTime() - EPOCH_MS) * 1000n, at)
  })

/** `text[]` */
export const textArray = (values: readonly string[]): Buffer => stringArray(TEXT_OID, values)

/** `json[]`, from the output of `JSON.stringify`. */
export const jsonArray = (values: readonly string[]): Buffer => stringArray(JSON_OID, values)

/** `bytea[]` */
export function bytesArray(values: readonly Buffer[]): Buffer {
  const bytes = values.reduce((sum, value) => sum + LENGTH_BYTES + value.length, HEAD_BYTES)
  const buffer = Buffer.allocUnsafe(bytes)
  let at = writeHead(buffer, BYTEA_OID, values.length)
  for (const value of values) {
    at = buffer.writeInt32BE(value.length, at)
    at += value.copy(buffer, at)
  }
  return buffer.subarray(0, at)
}

function fixedArray<T>(
  oid: number,
  bytes: number,
  values: readonly T[],
  write: (buffer: Buffer, value: T, at: number) => void,
): Buffer {
  const buffer = Buffer.allocUnsafe(HEAD_BYTES + values.length * (LENGTH_BYTES + bytes))
  let at = writeHead(buffer, oid, values.length)
  for (const value of values) {
    at = buffer.writeInt32BE(bytes, at)
    write(buffer, value, at)
    at += bytes
  }
  return buffer.subarray(0, at)
}

function stringArray(oid: number, values: readonly string[]): Buffer {
  let bytesMax = HEAD_BYTES
  for (const value of values) bytesMax += LENGTH_BYTES + value.length * BYTES_PER_CHAR_MAX
  const buffer = Buffer.allocUnsafe(bytesMax)
  let at = writeHead(buffer, oid, values.length)
  for (const value of values) {
    const bytes = buffer.write(value, at + LENGTH_BYTES, 'utf8')
    at = buffer.writeInt32BE(bytes, at) + bytes
  }
  return buffer.subarray(0, at)
}

/** Number of dimensions, null flag, element type; then size and lower bound of the dimension. */
function writeHead(buffer: Buffer, oid: number, length: number): number {
  buffer.writeInt32BE(length === 0 ? 0 : 1, 0)
  buffer.writeInt32BE(0, 4)
  let at = buffer.writeInt32BE(oid, 8)
  if (length === 0) return at
  at = buffer.writeInt32BE(length, at)
  return buffer.writeInt32BE(1, at)
}

function writeUuid(buffer: Buffer, value: string, at: number): void {
  let byte = at
  for (let index = 0; index < value.length; index += 2) {
    if (value.charCodeAt(index) === HYPHEN) index += 1
    buffer[byte] = (nibble(value.charCodeAt(index)) << 4) | nibble(value.charCodeAt(index + 1))
    byte += 1
  }
}

const HYPHEN = 0x2d
/** Value of a hexadecimal digit in either case. */
const nibble = (code: number): number => (code & 0xf) + (code >> 6) * 9
