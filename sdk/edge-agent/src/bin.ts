#!/usr/bin/env node
/** The command-line program: sends the lines of its input, or syslog, as log entries. */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createEdgeAgent } from './index.ts'
import { readLine, splitLines } from './lines.ts'
import { listenForSyslog, type Syslog, type SyslogOptions } from './syslog/server.ts'
import type { DeviceFields, DeviceType, EdgeAgent, LogLevel } from './types.ts'

const HELP = `Usage: tail -F app.log | vigil-edge-agent --url URL --device ID [options]
       vigil-edge-agent --url URL --device ID --syslog [HOST:]PORT [options]

Sends each line of the input, or each syslog message, as a log entry. Entries that cannot be sent are stored
in a folder and sent later, also by the next start. The API key is read from the environment variable
VIGIL_API_KEY.

  --url URL            URL of the service with the version: https://vigil.example.com/v1
  --device ID          device_id of the entries
  --folder PATH        folder of entries that are not acknowledged yet (default vigil-edge-agent)
  --level LEVEL        level of lines without one: debug, info, warn, error, fatal (default info)
  --category TEXT      category of all entries
  --environment TEXT   environment of all entries
  --name TEXT          name of the device
  --type TYPE          type of the device: pos, kiosk, iot, mobile, desktop, server, gateway or other
  --syslog ADDRESS     receive syslog over TCP at [HOST:]PORT instead of the input (default host 127.0.0.1)
  --syslog-tls ADDRESS receive syslog over TLS at [HOST:]PORT
  --tls-cert FILE      certificate of the agent for --syslog-tls, with its chain, in PEM
  --tls-key FILE       private key of the certificate, in PEM
  --tls-ca FILE        accept only senders with a certificate of this authority
  --help               show this help
`
const CLOSE_TIMEOUT_MS = 10_000

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      device: { type: 'string' },
      folder: { type: 'string', default: 'vigil-edge-agent' },
      level: { type: 'string', default: 'info' },
      category: { type: 'string' },
      environment: { type: 'string' },
      name: { type: 'string' },
      type: { type: 'string' },
      syslog: { type: 'string' },
      'syslog-tls': { type: 'string' },
      'tls-cert': { type: 'string' },
      'tls-key': { type: 'string' },
      'tls-ca': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const { url = '', device: device_id = '', folder, level, environment } = values
  const listeners = listenersOf(values)
  const agent = createEdgeAgent({
    base_url: url,
    api_key: process.env['VIGIL_API_KEY'] ?? '',
    device_id,
    folder,
    device: deviceOf(values),
    report,
  })
  try {
    if (listeners.length === 0) await sendInput(agent, values)
    else
      await sendSyslog(
        { agent, level: level as LogLevel, report, ...only({ environment }) },
        listeners,
      )
  } finally {
    await close(agent, folder)
  }
  return 0
}

type Input = { level: string; category?: string; environment?: string }

async function sendInput(agent: EdgeAgent, { level, category, environment }: Input): Promise<void> {
  const end = (): void => void process.stdin.destroy()
  process.once('SIGTERM', end).once('SIGINT', end)
  process.stdin.setEncoding('utf8')
  try {
    for await (const line of splitLines(process.stdin)) {
      const entry = readLine(line, level as LogLevel)
      agent.log(entry.level, entry.message, { ...entry.fields, ...only({ category, environment }) })
    }
  } catch (error) {
    // Destroying the input on a signal ends it with this error.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}

type Listener = Pick<SyslogOptions, 'host' | 'port' | 'tls'>

/** Receives until SIGTERM or SIGINT. */
async function sendSyslog(
  options: Omit<SyslogOptions, keyof Listener>,
  listeners: readonly Listener[],
): Promise<void> {
  const ended = new Promise<void>((done) => {
    process.once('SIGTERM', done).once('SIGINT', done)
  })
  const open: Syslog[] = []
  try {
    for (const listener of listeners) {
      const syslog = await listenForSyslog({ ...options, ...listener })
      open.push(syslog)
      report(
        `Receiving syslog over ${listener.tls ? 'TLS' : 'TCP'} at ${listener.host}:${syslog.port}`,
      )
    }
    await ended
  } finally {
    await Promise.all(open.map(async ({ close: end }) => await end()))
  }
}

/** @throws Error if an address or a file is missing or not valid */
function listenersOf(values: Partial<Record<string, string | boolean>>): Listener[] {
  const { syslog, 'syslog-tls': syslogTls, 'tls-cert': cert, 'tls-key': key, 'tls-ca': ca } = values
  const listeners: Listener[] = []
  if (typeof syslog === 'string') listeners.push(addressOf('--syslog', syslog))
  if (typeof syslogTls === 'string') {
    if (typeof cert !== 'string' || typeof key !== 'string') {
      throw new Error('--syslog-tls needs --tls-cert and --tls-key')
    }
    const clients = typeof ca === 'string' ? { ca: readFileSync(ca) } : {}
    const tls = { cert: readFileSync(cert), key: readFileSync(key), ...clients }
    listeners.push({ ...addressOf('--syslog-tls', syslogTls), tls })
  }
  return listeners
}

function addressOf(option: string, text: string): { host: string; port: number } {
  const [, host = '127.0.0.1', digits] = /^(?:\[?([^\]]+?)\]?:)?(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (digits === undefined || port > 65_535) throw new Error(`${option} must be [HOST:]PORT`)
  return { host, port }
}

/** The members that are not undefined. */
const only = <T extends object>(members: T) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>
  }

const report = (message: string): void => void process.stderr.write(`${message}\n`)

async function close(agent: EdgeAgent, folder: string): Promise<void> {
  await agent.close(CLOSE_TIMEOUT_MS)
  const { waiting_entries } = agent.stats()
  if (waiting_entries > 0) {
    report(`${waiting_entries} entries are stored in ${folder}; the next start sends them`)
  }
}

const deviceOf = ({ name, type }: { name?: string; type?: string }): DeviceFields => ({
  ...only({ name, device_type: type as DeviceType | undefined }),
})

try {
  process.exitCode = await main()
} catch (error) {
  report((error as Error).message)
  process.exitCode = 1
}
