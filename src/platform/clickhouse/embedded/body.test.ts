import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readBody } from './body.ts'
import { faultAnswer } from './request-fault.ts'

const MAX_BYTES = 100
const server = createServer((request, response) => {
  readBody(request, MAX_BYTES).then(
    (body) => response.end(body),
    (error: unknown) => response.end(String(faultAnswer(error, '').code)),
  )
})
let url = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const send = async (body: Buffer, encoding?: string) => {
  const headers: Record<string, string> = encoding ? { 'content-encoding': encoding } : {}
  return await (await fetch(url, { method: 'POST', body: new Uint8Array(body), headers })).text()
}

it.each([
  ['is read completely', Buffer.alloc(MAX_BYTES, 'x'), undefined, 'x'.repeat(MAX_BYTES)],
  ['can be empty', Buffer.alloc(0), undefined, ''],
  ['is decompressed', gzipSync('packed'), 'gzip', 'packed'],
  ['is refused when it is too large', Buffer.alloc(MAX_BYTES + 1, 'x'), undefined, '307'],
  [
    'is refused when it is too large after decompression',
    gzipSync('x'.repeat(10_000)),
    'gzip',
    '307',
  ],
  ['is refused in an unsupported encoding', Buffer.from('x'), 'br', '48'],
  ['is refused when it is not in its declared encoding', Buffer.from('x'), 'gzip', '1001'],
])('a body %s', async (_what, body, encoding, expected) => {
  expect(await send(body, encoding)).toBe(expected)
})
