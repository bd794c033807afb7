import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Finds a port for a service that restarts on the same port. Programs that listen on port 0 could still
 * be assigned it before the service starts.
 */
export async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || !address) throw new Error('no port is free')
  return address.port
}
