/** ASN.1 in its distinguished encoding (X.690), as much of it as a certificate needs. */

export const sequence = (...parts: readonly Buffer[]) => tagged(0x30, ...parts)
export const set = (...parts: readonly Buffer[]) => tagged(0x31, ...parts)
export const octets = (bytes: Buffer) => tagged(0x04, bytes)
export const text = (value: string) => tagged(0x0c, Buffer.from(value, 'utf8'))
export const truth = tagged(0x01, Buffer.from([0xff]))

/** Context-specific; `constructed` when it holds other values instead of bytes. */
export const context = (number: number, constructed: boolean, ...parts: readonly Buffer[]) =>
  tagged((constructed ? 0xa0 : 0x80) | number, ...parts)

/** Not negative, from its bytes. */
export function integer(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0)
  const digits = first < 0 ? Buffer.from([0]) : bytes.subarray(first)
  const isHigh = ((digits[0] ?? 0) & 0x80) !== 0
  return tagged(0x02, ...(isHigh ? [Buffer.from([0])] : []), digits)
}

/** The lowest `unused` bits of the last byte do not belong to it. */
export const bits = (bytes: Buffer, unused = 0) => tagged(0x03, Buffer.from([unused]), bytes)

/** `2.5.29.17` */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

/** UTCTime up to 2049, as RFC 5280 wants it. */
export function utcTime(at: Date): Buffer {
  const digits = at.toISOString().replaceAll(/[-:T]|\.\d+/g, '')
  return tagged(0x17, Buffer.from(digits.slice(2), 'latin1'))
}

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content])
}

function lengthOf(bytes: number): number[] {
  if (bytes < 0x80) return [bytes]
  return bytes < 0x1_00 ? [0x81, bytes] : [0x82, bytes >> 8, bytes & 0xff]
}

function base128(value: number): number[] {
  const digits = [value & 0x7f]
  for (let rest = value >> 7; rest > 0; rest >>= 7) digits.unshift((rest & 0x7f) | 0x80)
  return digits
}
