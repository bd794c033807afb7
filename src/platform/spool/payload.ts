/**
 * The payload of a spool row: lines of JSON for the analytics engine. Larger ones are compressed before they
 * are sent to PostgreSQL, which costs less processor time than writing, storing and reading the whole text.
 */
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'

/** The first byte of a compressed payload. Lines of JSON begin with a brace, and those of earlier versions too. */
const COMPRESSED = Buffer.from([0])
/** Compressing less than this costs more than it saves. */
const COMPRESSED_BYTES_MIN = 4096
/** Repeated names and ids are most of the lines: a higher quality takes twice the time for a third less. */
const CHUNK_BYTES = 65_536
const QUALITY = constants.BROTLI_MIN_QUALITY

const compress = promisify(brotliCompress)
const decompress = promisify(brotliDecompress)

/** @param lines lines of JSON, each ending with a line feed */
export async function encodePayload(lines: Buffer): Promise<Buffer> {
  if (lines.length < COMPRESSED_BYTES_MIN) return lines
  const compressed = await compress(lines, {
    chunkSize: CHUNK_BYTES,
    params: {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: lines.length,
    },
  })
  return Buffer.concat([COMPRESSED, compressed])
}

export type Encoded = {
  payload: Buffer
  /** Size of the lines. */
  bytes: number
}

/** @returns the lines of JSON */
export async function decodePayload({ payload, bytes }: Encoded): Promise<Buffer> {
  if (payload[0] !== COMPRESSED[0]) return payload
  // Written as one piece, which is twice as fast as joining pieces of the default size.
  return await decompress(payload.subarray(1), { chunkSize: Math.max(bytes, CHUNK_BYTES) })
}
