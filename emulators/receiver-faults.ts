/** Sends the broken answers of the webhook receiver. */
import type { ServerResponse } from 'node:http'
import type { Behavior } from './receiver-scenario.ts'
import type { Timers } from './timers.ts'

const DRIP_INTERVAL_MS = 20
const FLOOD_CHUNK = Buffer.alloc(65_536, 'x')

export function sendFault(
  fault: NonNullable<Behavior['fault']>,
  response: ServerResponse,
  timers: Timers,
): void {
  /** Repeats a write until the client closes the connection. */
  const drip = (write: () => void): void => {
    if (response.destroyed || response.socket?.destroyed !== false) return
    write()
    timers.later(DRIP_INTERVAL_MS, () => drip(write))
  }
  switch (fault) {
    case 'hang':
      return
    case 'reset':
      response.socket?.resetAndDestroy()
      return
    case 'drip_headers':
      response.socket?.write('HTTP/1.1 200 OK\r\n')
      drip(() => response.socket?.write('x-drip: a\r\n'))
      return
    case 'drip_body':
      response.writeHead(200)
      drip(() => response.write('a'))
      return
    case 'flood':
      response.writeHead(200)
      flood(response)
  }
}

function flood(response: ServerResponse): void {
  while (!response.destroyed && response.write(FLOOD_CHUNK));
  if (!response.destroyed) response.once('drain', () => flood(response))
}
