import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readBody } from './body.ts'
import { faultAnswer } from './fault.ts'

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
  ['is read whole', Buffer.alloc(MAX_BYTES, 'x'), undefined, 'x'.repeat(MAX_BYTES)],
  ['may be empty', Buffer.alloc(0), undefined, ''],
  ['is unpacked', gzipSync('packed'), 'gzip', 'packed'],
  ['is refused when it is longer', Buffer.alloc(MAX_BYTES + 1, 'x'), undefined, '307'],
  ['is refused when it unpacks to more', gzipSync('x'.repeat(10_000)), 'gzip', '307'],
  ['is refused when it is packed in an unknown way', Buffer.from('x'), 'br', '48'],
  ['is refused when it is not what it says', Buffer.from('x'), 'gzip', '1001'],
])('a body %s', async (_what, body, encoding, expected) => {
  expect(await send(body, encoding)).toBe(expected)
})
