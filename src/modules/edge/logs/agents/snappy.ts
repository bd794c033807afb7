/**
 * Decompresses the block format of Snappy, in which agents send protobuf to Loki.
 * https://github.com/google/snappy/blob/main/format_description.txt. The packages for it loop forever on a
 * literal with a negative length, or need native code.
 */
import { type AppError, invalidRequest } from '../../../../platform/http/errors.ts'

const LENGTH_BYTES_MAX = 5
/** Tags from here on are followed by the length of their literal. */
const LONG_LITERAL = 60

/** @throws AppError 400 that names the body, if it is not valid or would be larger than `maxBytes` */
export function decompressSnappy(input: Uint8Array, maxBytes: number): Buffer {
  const head = readLength(input)
  if (head.length > maxBytes) {
    throw invalidRequest('body', `The request body is larger than ${maxBytes} bytes`)
  }
  const output = Buffer.allocUnsafe(head.length)
  let at = head.at
  let written = 0
  while (at < input.length) {
    const tag = input[at] ?? 0
    const kind = tag & 3
    if (kind === 0) {
      const extra = Math.max(0, (tag >>> 2) - LONG_LITERAL + 1)
      const length = 1 + (extra === 0 ? tag >>> 2 : readInteger(input, at + 1, extra))
      const start = at + 1 + extra
      if (start + length > input.length || written + length > output.length) throw malformed()
      output.set(input.subarray(start, start + length), written)
      at = start + length
      written += length
    } else {
      const bytes = kind === 3 ? 4 : kind
      const low = readInteger(input, at + 1, bytes)
      const length = kind === 1 ? 4 + ((tag >>> 2) & 7) : 1 + (tag >>> 2)
      const offset = kind === 1 ? ((tag >>> 5) << 8) + low : low
      if (offset === 0 || offset > written || written + length > output.length) throw malformed()
      // The source may overlap what is written, which repeats it.
      for (let index = 0; index < length; index += 1) {
        output[written + index] = output[written + index - offset] as number
      }
      at += 1 + bytes
      written += length
    }
  }
  if (written !== output.length) throw malformed()
  return output
}

function readLength(input: Uint8Array): { length: number; at: number } {
  let length = 0
  for (let at = 0; at < LENGTH_BYTES_MAX; at += 1) {
    const byte = input[at]
    if (byte === undefined) break
    length += (byte & 0x7f) * 2 ** (7 * at)
    if (byte < 0x80) return { length, at: at + 1 }
  }
  throw malformed()
}

/** Little-endian and without a sign. */
function readInteger(input: Uint8Array, at: number, bytes: number): number {
  if (at + bytes > input.length) throw malformed()
  let value = 0
  for (let index = bytes - 1; index >= 0; index -= 1) value = value * 256 + (input[at + index] ?? 0)
  return value
}

const malformed = (): AppError =>
  invalidRequest('body', 'The request body is not compressed with Snappy')
