/** A port for a service that has to come back where it was. */
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Free at this moment: whoever needs another one gets it by asking for port 0. */
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
