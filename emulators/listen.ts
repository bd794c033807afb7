/** Binds a server and reports where it can be reached. */
import { once } from 'node:events'
import type { Server } from 'node:net'

export type Listening = {
  readonly port: number
  /** `127.0.0.1:8080`, with brackets around an IPv6 address. */
  readonly address: string
}

/** @param at port 0 takes a free one */
export async function listen(
  server: Server,
  at: { readonly port: number; readonly host: string },
): Promise<Listening> {
  server.listen(at.port, at.host)
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : at.port
  return { port, address: addressOf(at.host, port) }
}

export const addressOf = (host: string, port: number): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`
