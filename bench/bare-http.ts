/** The other limit: `node:http` in a process of its own, answering the same bytes and no more. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { serveJobs } from './worker.ts'

export type BareHttpJob = { body: string }
export type BareHttpResult = { port: number }

/** One job starts the server; it goes on until the helper is stopped. */
export async function serveBareHttp(): Promise<void> {
  await serveJobs<BareHttpJob, BareHttpResult>(async ({ body }) => {
    const bytes = Buffer.from(body)
    const server = createServer((request, response) => {
      request.resume()
      request.on('end', () => {
        response.writeHead(200, {
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          'content-type': 'application/json; charset=utf-8',
          'content-length': bytes.length,
        })
        response.end(bytes)
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (typeof address !== 'object' || address === null) throw new Error('no port')
    return { port: address.port }
  })
}
