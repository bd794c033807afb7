/** Reads and decompresses the body of a request, up to a size limit. */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { readUpTo } from '../../read-up-to.ts'
import { RequestFault } from './request-fault.ts'

const TOO_MANY_BYTES = 307
const NOT_IMPLEMENTED = 48

/** @throws RequestFault if the body is too large or its encoding is not supported */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const body = await readUpTo(plain(request), maxBytes)
  if (body) return body
  throw new RequestFault(TOO_MANY_BYTES, `The body has more than ${maxBytes} bytes`)
}

function plain(request: IncomingMessage): Readable {
  const encoding = request.headers['content-encoding'] ?? ''
  if (encoding === '' || encoding === 'identity') return request
  if (encoding !== 'gzip') {
    throw new RequestFault(NOT_IMPLEMENTED, `Unknown Content-Encoding ${encoding}`)
  }
  const unpacked = createGunzip()
  request.once('error', (error) => unpacked.destroy(error))
  request.once('aborted', () => unpacked.destroy(new Error('The client disconnected')))
  return request.pipe(unpacked)
}
