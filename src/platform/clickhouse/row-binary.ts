/**
 * Rows in the format `RowBinary` (https://clickhouse.com/docs/interfaces/formats/RowBinary). The engine
 * reads them with a tenth of the processor time of JSON, and they take half of its bytes.
 */

export type RowWriter = {
  /** Number of bytes that were written. */
  size(): number
  /** Values of a fixed size, as they are. */
  fixed(bytes: Uint8Array): void
  byte(value: number): void
  /** `Int64` or a time in milliseconds: a whole number. */
  integer(value: number): void
  /** `String`. A lone surrogate is replaced. @returns whether the text has characters beyond ASCII */
  text(value: string): boolean
  /** `Array(String)` */
  texts(values: readonly string[]): void
  /** Returns the bytes that were written; the writer is empty afterwards. */
  take(): Buffer
}

const BYTES_PER_CHAR_MAX = 3
const LENGTH_BYTES_MAX = 5
const INTEGER_BYTES = 8
const HALF = 2 ** 32
/** Shorter texts are copied faster by a loop than by a call. Their length takes one byte. */
const SHORT_CHARS = 40
const ASCII_END = 0x80
const FIRST_BYTES = 16_384

export function createRowWriter(): RowWriter {
  let buffer = Buffer.allocUnsafe(FIRST_BYTES)
  let at = 0

  const reserve = (bytes: number) => {
    if (at + bytes <= buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, at + bytes))
    buffer.copy(larger, 0, 0, at)
    buffer = larger
  }
  const length = (value: number) => {
    let rest = value
    while (rest >= ASCII_END) {
      buffer[at] = (rest & 0x7f) | ASCII_END
      at += 1
      rest >>>= 7
    }
    buffer[at] = rest
    at += 1
  }
  const long = (value: string): boolean => {
    const start = at
    length(value.length)
    const bytes = buffer.write(value, at)
    if (bytes === value.length) {
      at += bytes
      return false
    }
    at = start
    length(bytes)
    at += buffer.write(value, at)
    return true
  }
  const text = (value: string): boolean => {
    const chars = value.length
    reserve(chars * BYTES_PER_CHAR_MAX + LENGTH_BYTES_MAX)
    if (chars > SHORT_CHARS) return long(value)
    const start = at + 1
    for (let index = 0; index < chars; index += 1) {
      const code = value.charCodeAt(index)
      if (code >= ASCII_END) return long(value)
      buffer[start + index] = code
    }
    buffer[at] = chars
    at = start + chars
    return false
  }
  return {
    size: () => at,
    fixed: (bytes) => {
      reserve(bytes.length)
      buffer.set(bytes, at)
      at += bytes.length
    },
    byte: (value) => {
      reserve(1)
      buffer[at] = value
      at += 1
    },
    integer: (value) => {
      reserve(INTEGER_BYTES)
      const high = Math.floor(value / HALF)
      buffer.writeUInt32LE(value - high * HALF, at)
      buffer.writeInt32LE(high, at + INTEGER_BYTES / 2)
      at += INTEGER_BYTES
    },
    text,
    texts: (values) => {
      reserve(LENGTH_BYTES_MAX)
      length(values.length)
      for (const value of values) text(value)
    },
    take: () => {
      const taken = buffer.subarray(0, at)
      buffer = Buffer.allocUnsafe(Math.max(FIRST_BYTES, at))
      at = 0
      return taken
    },
  }
}

export type RowReader = {
  isAtEnd(): boolean
  position(): number
  uuid(): string
  byte(): number
  integer(): number
  text(): string
  texts(): string[]
  skip(bytes: number): void
  skipText(): void
  skipTexts(): void
}

const UUID_BYTES = 16

/** The two halves of a UUID are numbers with their bytes in reverse order. */
export function uuidBytes(uuid: string): Buffer {
  const bytes = Buffer.from(uuid.replaceAll('-', ''), 'hex')
  bytes.subarray(0, UUID_BYTES / 2).reverse()
  bytes.subarray(UUID_BYTES / 2).reverse()
  return bytes
}

export function createRowReader(rows: Buffer, start = 0): RowReader {
  let at = start
  const length = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = rows.readUInt8(at)
      at += 1
      value += (byte & 0x7f) * 2 ** shift
      if (byte < ASCII_END) return value
    }
  }
  const reader: RowReader = {
    isAtEnd: () => at >= rows.length,
    position: () => at,
    uuid: () => {
      const high = rows.readBigUInt64LE(at).toString(16).padStart(16, '0')
      const low = rows.readBigUInt64LE(at + UUID_BYTES / 2).toString(16)
      at += UUID_BYTES
      return `${high}${low.padStart(16, '0')}`.replace(HEX_GROUPS, '$1-$2-$3-$4-$5')
    },
    byte: () => {
      at += 1
      return rows.readUInt8(at - 1)
    },
    integer: () => {
      at += INTEGER_BYTES
      return Number(rows.readBigInt64LE(at - INTEGER_BYTES))
    },
    text: () => {
      const bytes = length()
      at += bytes
      return rows.toString('utf8', at - bytes, at)
    },
    texts: () => Array.from({ length: length() }, reader.text),
    skip: (bytes) => {
      at += bytes
    },
    skipText: () => {
      const bytes = length()
      at += bytes
    },
    skipTexts: () => {
      for (let left = length(); left > 0; left -= 1) reader.skipText()
    },
  }
  return reader
}

const HEX_GROUPS = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/
