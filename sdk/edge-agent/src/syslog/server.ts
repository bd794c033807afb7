/**
 * Receives syslog over TCP and TLS (RFC 6587, RFC 5425). Syslog has no acknowledgments: a message is safe when
 * the agent has recorded it, and what a sender has in flight when a connection ends is lost.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import type { EdgeAgent, LogLevel } from '../types.ts'
import { createFramer } from './frames.ts'
import { readSyslog } from './message.ts'

export type SyslogOptions = {
  agent: Pick<EdgeAgent, 'log'>
  host: string
  port: number
  /** PEM; with `ca`, senders need a certificate that it signed. Absent for TCP without encryption. */
  tls?: { cert: Buffer; key: Buffer; ca?: Buffer }
  /** Level of text without a priority. */
  level: LogLevel
  environment?: string
  report: (message: string) => void
  /** Default: 100. */
  connections_max?: number
  /** Time without a message after which a connection is closed. Default: an hour. */
  idle_ms?: number
}

export type Syslog = {
  port: number
  /** Closes the connections; what has arrived is recorded. */
  close: () => Promise<void>
}

const CONNECTIONS_MAX = 100
const IDLE_MS = 3_600_000
const HANDSHAKE_MS = 10_000
/** RFC 5425 recommends 8 KiB. */
const MESSAGE_BYTES_MAX = 65_536

/** @throws Error if the port is not available, or a certificate is not valid */
export async function listenForSyslog(options: SyslogOptions): Promise<Syslog> {
  const { host, port, tls, report } = options
  const sockets = new Set<Socket>()
  const receive = (socket: Socket): void => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    receiveMessages(socket, options)
  }
  const server = tls === undefined ? createServer(receive) : tlsServer(tls, receive, report)
  server.maxConnections = options.connections_max ?? CONNECTIONS_MAX
  server.on('error', ({ message }) => report(`Syslog cannot be received: ${message}`))
  server.on('drop', () => report('A syslog connection was refused: there are too many'))
  server.listen(port, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function tlsServer(
  { cert, key, ca }: NonNullable<SyslogOptions['tls']>,
  receive: (socket: TLSSocket) => void,
  report: (message: string) => void,
): Server {
  const clients = ca === undefined ? {} : { ca, requestCert: true, rejectUnauthorized: true }
  const server = createTlsServer({
    cert,
    key,
    ...clients,
    minVersion: 'TLSv1.2',
    handshakeTimeout: HANDSHAKE_MS,
  })
  server.on('secureConnection', receive)
  server.on('tlsClientError', (error, socket) => {
    report(`A syslog connection of ${socket.remoteAddress ?? 'a sender'} failed: ${error.message}`)
    socket.destroy()
  })
  return server
}

function receiveMessages(socket: Socket, options: SyslogOptions): void {
  const { agent, level, environment, report } = options
  const framer = createFramer({
    bytes_max: MESSAGE_BYTES_MAX,
    onMessage: (bytes, isCut) => {
      const entry = readSyslog(bytes.toString('utf8'), level)
      const { device_id, timestamp_ms, fields } = entry
      agent.log(entry.level, entry.message, {
        ...fields,
        ...(isCut ? { data: { ...fields.data, is_cut: true } } : {}),
        ...(environment === undefined ? {} : { environment }),
        ...(device_id === undefined ? {} : { device_id }),
        ...(timestamp_ms === undefined ? {} : { timestamp_ms }),
      })
    },
    onFault: (reason) => {
      report(`The syslog connection of ${socket.remoteAddress ?? 'a sender'} was closed: ${reason}`)
      socket.destroy()
    },
  })
  socket.setTimeout(options.idle_ms ?? IDLE_MS, () => socket.destroy())
  socket.on('data', framer.push)
  socket.on('error', () => undefined)
  socket.once('close', framer.end)
}
