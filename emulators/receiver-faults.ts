/** The ways in which the receiver breaks its answers. */
import type { ServerResponse } from 'node:http'
import type { Behaviour } from './receiver-scenario.ts'

type Later = (delayMs: number, work: () => void) => void

const DRIP_INTERVAL_MS = 20
const FLOOD_CHUNK = Buffer.alloc(65_536, 'x')

export function misbehave(
  fault: NonNullable<Behaviour['fault']>,
  response: ServerResponse,
  later: Later,
): void {
  switch (fault) {
    case 'hang':
      return
    case 'reset':
      response.socket?.resetAndDestroy()
      return
    case 'drip_headers':
      response.socket?.write('HTTP/1.1 200 OK\r\n')
      drip((byte) => response.socket?.write(byte), 'x-drip: a\r\n', response, later)
      return
    case 'drip_body':
      response.writeHead(200)
      drip((byte) => response.write(byte), 'a', response, later)
      return
    case 'flood':
      response.writeHead(200)
      flood(response)
  }
}

function drip(
  write: (text: string) => void,
  text: string,
  response: ServerResponse,
  later: Later,
): void {
  if (response.destroyed || response.socket?.destroyed !== false) return
  write(text)
  later(DRIP_INTERVAL_MS, () => drip(write, text, response, later))
}

function flood(response: ServerResponse): void {
  while (!response.destroyed && response.write(FLOOD_CHUNK));
  if (!response.destroyed) response.once('drain', () => flood(response))
}
