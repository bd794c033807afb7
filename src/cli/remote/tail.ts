/** `vigil logs tail` at the installation that `vigil login` has signed in to. */
import { setTimeout } from 'node:timers/promises'
import type { LogRecord } from '../../modules/edge/index.ts'
import { parseExact, stringifyExact, withNumbers } from '../../platform/exact-json.ts'
import { EventSourceRefused, readEvents } from '../../platform/net/event-source.ts'
import { reasonOf } from '../../platform/operator-error.ts'
import type { Mode } from '../../platform/owner.ts'
import { CommandError, type Io } from '../io.ts'
import { logLine } from '../logs-line.ts'
import { whenReaderStops } from '../stop-signal.ts'
import type { Login } from './login-file.ts'

export type Tailed = {
  org: string | undefined
  mode: Mode
  limit: number
  json: boolean | undefined
  q: string | undefined
}

const AGAIN_MS = 1000
/** Three of the service's signs of life. */
const SILENCE_MS = 45_000

/** Connects again when the connection ends, until Ctrl-C or the limit. */
export async function tailRemotely(io: Io, login: Login, tailed: Tailed): Promise<void> {
  const stop = new AbortController()
  const end = whenReaderStops(() => stop.abort())
  let left = tailed.limit
  try {
    while (left > 0 && !stop.signal.aborted) {
      left -= await follow(io, login, { ...tailed, limit: left }, stop.signal)
      if (left <= 0 || stop.signal.aborted) break
      io.stderr('The connection has ended, and is opened again; logs of the meantime are missing')
      await setTimeout(AGAIN_MS)
    }
  } finally {
    end()
    stop.abort()
  }
}

/** @returns the number of printed logs @throws CommandError when the service refuses */
async function follow(
  io: Io,
  { url, token, org_id }: Login,
  { org = org_id, mode, limit, json, q }: Tailed,
  signal: AbortSignal,
): Promise<number> {
  const target = new URL('/console/api/edge/tail', url)
  for (const [name, value] of Object.entries({
    org_id: org,
    mode,
    ...(q !== undefined && { q }),
  })) {
    target.searchParams.set(name, value)
  }
  const headers = { authorization: `Bearer ${token}` }
  const source = { url: target.href, headers, signal, silence_ms: SILENCE_MS }
  let printed = 0
  try {
    for await (const { event, data } of readEvents(source)) {
      if (event === 'dropped') io.stderr(skipped((JSON.parse(data) as { count: number }).count))
      if (event !== 'log') continue
      io.stdout(lineOf(parseExact(data) as LogRecord, json))
      printed += 1
      if (printed === limit) break
    }
  } catch (error) {
    if (error instanceof EventSourceRefused) throw refusalOf(error)
    if (!signal.aborted) io.stderr(`${target.origin} cannot be used: ${reasonOf(error)}`)
  }
  return printed
}

function refusalOf({ status, body }: EventSourceRefused): CommandError {
  if (status === 401) return new CommandError('The token was refused: run vigil login again')
  let message = 'no message'
  try {
    message = (JSON.parse(body) as { message: string }).message
  } catch {
    // A proxy answers with a page.
  }
  return new CommandError(`The logs cannot be followed (${status}): ${message}`)
}

export const lineOf = (record: LogRecord, json: boolean | undefined): string =>
  json === true ? stringifyExact(record) : withNumbers(logLine(record))

export const skipped = (count: number): string =>
  `${count} logs were skipped, because there were too many`
