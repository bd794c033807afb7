/**
 * The payload of a spool row: lines of JSON or binary rows for the analytics engine. Larger ones are compressed
 * before they are sent to PostgreSQL, which costs less processor time than writing, storing and reading all bytes.
 */
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'
import type { Payload, RowShape } from './rows.ts'

/** The first byte of a payload. Lines of JSON begin with a brace, and those of earlier versions too. */
const COMPRESSED_LINES = 0
/** Followed by the three numbers of the shape, and the rows. */
const BINARY = 1
const COMPRESSED_BINARY = 2
const LINES_HEAD = Buffer.from([COMPRESSED_LINES])
const BINARY_HEAD_BYTES = 4
/** Compressing less than this costs more than it saves. */
const COMPRESSED_BYTES_MIN = 4096
/** Repeated names and ids are most of the lines: a higher quality takes twice the time for a third less. */
const CHUNK_BYTES = 65_536
const QUALITY = constants.BROTLI_MIN_QUALITY

const compress = promisify(brotliCompress)
const decompress = promisify(brotliDecompress)

export async function encodePayload({ rows, shape }: Payload): Promise<Buffer> {
  if (rows.length < COMPRESSED_BYTES_MIN) {
    return shape === undefined ? rows : Buffer.concat([binaryHead(BINARY, shape), rows])
  }
  const compressed = await compress(rows, {
    chunkSize: CHUNK_BYTES,
    params: {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: rows.length,
    },
  })
  const head = shape === undefined ? LINES_HEAD : binaryHead(COMPRESSED_BINARY, shape)
  return Buffer.concat([head, compressed])
}

const binaryHead = (kind: number, { fixed_bytes, texts, lists }: RowShape): Buffer =>
  Buffer.from([kind, fixed_bytes, texts, lists])

export type Encoded = {
  payload: Buffer
  /** Size of the rows. */
  bytes: number
}

export async function decodePayload({ payload, bytes }: Encoded): Promise<Payload> {
  const [kind, fixed_bytes = 0, texts = 0, lists = 0] = payload
  const isBinary = kind === BINARY || kind === COMPRESSED_BINARY
  const shape = isBinary ? { fixed_bytes, texts, lists } : undefined
  if (kind !== COMPRESSED_LINES && kind !== COMPRESSED_BINARY) {
    return { rows: isBinary ? payload.subarray(BINARY_HEAD_BYTES) : payload, shape }
  }
  const compressed = payload.subarray(isBinary ? BINARY_HEAD_BYTES : LINES_HEAD.length)
  // Written as one piece, which is twice as fast as joining pieces of the default size.
  const rows = await decompress(compressed, { chunkSize: Math.max(bytes, CHUNK_BYTES) })
  return { rows, shape }
}
