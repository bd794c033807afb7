/** The body of a request, decompressed, up to a size. */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { RequestFault } from './fault.ts'

const TOO_MANY_BYTES = 307
const NOT_IMPLEMENTED = 48

/** @throws RequestFault when it is longer, or packed in a way that is not known here */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of plain(request) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) {
      throw new RequestFault(TOO_MANY_BYTES, `The body has more than ${maxBytes} bytes`)
    }
    chunks.push(chunk)
  }
  const [only] = chunks
  return chunks.length === 1 && only ? only : Buffer.concat(chunks)
}

function plain(request: IncomingMessage): Readable {
  const encoding = request.headers['content-encoding'] ?? ''
  if (encoding === '' || encoding === 'identity') return request
  if (encoding !== 'gzip') {
    throw new RequestFault(NOT_IMPLEMENTED, `Unknown Content-Encoding ${encoding}`)
  }
  const unpacked = createGunzip()
  request.once('error', (error) => unpacked.destroy(error))
  request.once('aborted', () => unpacked.destroy(new Error('The sender went away')))
  return request.pipe(unpacked)
}
