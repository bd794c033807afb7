#!/usr/bin/env node
/** The command-line program: sends the lines of its input as log entries of a device. */
import { parseArgs } from 'node:util'
import { createEdgeAgent } from './index.ts'
import { readLine, splitLines } from './lines.ts'
import type { DeviceFields, DeviceType, EdgeAgent, LogLevel } from './types.ts'

const HELP = `Usage: tail -F app.log | vigil-edge-agent --url URL --device ID [options]

Sends each line as a log entry. Entries that cannot be sent are stored in a folder and sent later, also
by the next start. The API key is read from the environment variable VIGIL_API_KEY.

  --url URL            URL of the service with the version: https://vigil.example.com/v1
  --device ID          device_id of the entries
  --folder PATH        folder of entries that are not acknowledged yet (default vigil-edge-agent)
  --level LEVEL        level of lines without one: debug, info, warn, error, fatal (default info)
  --category TEXT      category of all entries
  --environment TEXT   environment of all entries
  --name TEXT          name of the device
  --type TYPE          type of the device: pos, kiosk, iot, mobile, desktop, server, gateway or other
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
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const { url = '', device: device_id = '', folder, level, category, environment } = values
  const agent = createEdgeAgent({
    base_url: url,
    api_key: process.env['VIGIL_API_KEY'] ?? '',
    device_id,
    folder,
    device: deviceOf(values),
    report: (message) => process.stderr.write(`${message}\n`),
  })
  const end = (): void => void process.stdin.destroy()
  process.once('SIGTERM', end).once('SIGINT', end)
  process.stdin.setEncoding('utf8')
  try {
    for await (const line of splitLines(process.stdin)) {
      const entry = readLine(line, level as LogLevel)
      agent.log(entry.level, entry.message, {
        ...entry.fields,
        ...(category === undefined ? {} : { category }),
        ...(environment === undefined ? {} : { environment }),
      })
    }
  } catch (error) {
    // Destroying the input on a signal ends it with this error.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  } finally {
    await close(agent, folder)
  }
  return 0
}

async function close(agent: EdgeAgent, folder: string): Promise<void> {
  await agent.close(CLOSE_TIMEOUT_MS)
  const { waiting_entries } = agent.stats()
  if (waiting_entries > 0) {
    process.stderr.write(
      `${waiting_entries} entries are stored in ${folder}; the next start sends them\n`,
    )
  }
}

const deviceOf = ({ name, type }: { name?: string; type?: string }): DeviceFields => ({
  ...(name === undefined ? {} : { name }),
  ...(type === undefined ? {} : { device_type: type as DeviceType }),
})

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
