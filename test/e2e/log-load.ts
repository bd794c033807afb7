/**
 * Clients that send batches of logs, some of them again, byte by byte: those that were not answered,
 * those that were, and some twice at once. What they are told goes into one ledger.
 */
import { gzipSync } from 'node:zlib'
import type { Mode } from '../../src/platform/postgres/tables/platform.ts'
import { startClients } from './load.ts'
import { pause } from './program.ts'

export type SentLog = {
  device_id: string
  level: 'debug' | 'info' | 'warn' | 'error' | 'fatal'
  /** No other entry of the test has the same. */
  message: string
  timestamp: string
}

export type LogBatch = {
  mode: Mode
  /** As it is sent, each time. */
  body: string
  /** Those that are valid. */
  entries: SentLog[]
}

export type LogReceipt = { message: string; received: number; processed: number }

export type LogLedger = {
  /** By body. */
  told: Map<string, LogBatch & { answer: LogReceipt }>
  /** Sent and never answered with success. */
  open: Map<string, LogBatch>
  /** Given up, and never sent again. */
  lost: LogBatch[]
  /** Told one thing and then another, or what cannot be right. */
  disagreeing: string[]
}

export const newLogLedger = (): LogLedger => ({
  told: new Map(),
  open: new Map(),
  lost: [],
  disagreeing: [],
})

export type LogTargets = { url: string; keys: Record<Mode, string> }

const CLIENTS = 8
/** One client tries things out. */
const TEST_CLIENT = 0
const ENTRIES_MAX = 50
const DEVICES = 40
const TIMEOUT_MS = 15_000
/** All of them are read again in the end. */
const PAUSE_MAX_MS = 40
/** While nobody answers, clients insist on what they have sent instead of sending more. */
const OPEN_MAX = 50
/** Of the batches last sent: well within the time in which they are recognised. */
const AGAIN_OF = 100
/** Times that are told reach so far back. */
const AGE_MAX_MS = 40 * 3_600_000

/** @param name distinguishes the entries of this load from all others of the test */
export function startLogs(
  targets: LogTargets,
  ledger: LogLedger,
  name: string,
): { stop(): Promise<void> } {
  return startClients(CLIENTS, async (client, number) => {
    const dice = Math.random()
    const isAgain = dice < 0.2 || ledger.open.size > OPEN_MAX
    const mode = client === TEST_CLIENT ? 'test' : 'live'
    const batch =
      (isAgain ? anyOf(ledger) : undefined) ?? newBatch(mode, `${name}-${client}-${number}`)
    // The impatient send it again before the answer is there.
    const times = dice > 0.9 ? 2 : 1
    const answers = Array.from({ length: times }, () => sendLogs(targets, ledger, batch))
    await pause(Math.random() * PAUSE_MAX_MS)
    return (await Promise.all(answers)).every((isTold) => isTold)
  })
}

function newBatch(mode: Mode, name: string): LogBatch {
  const count = 1 + Math.floor(Math.random() * ENTRIES_MAX)
  const entries = Array.from({ length: count }, (_, index) => newEntry(`${name}-${index}`))
  // A bad one must not sink its batch.
  const logs: object[] = [...entries]
  if (Math.random() < 0.1) logs.splice(Math.floor(Math.random() * count), 0, { level: 'info' })
  return { mode, body: JSON.stringify({ logs }), entries }
}

function newEntry(name: string): SentLog {
  const dice = Math.random()
  const level = LEVELS[Math.floor(dice * LEVELS.length)] ?? 'info'
  return {
    device_id: `device-${Math.floor(Math.random() * DEVICES)}`,
    level,
    message: `request ${name} of terminal ${Math.floor(dice * 1000)} took too long`,
    timestamp: new Date(Date.now() - Math.floor(Math.random() * AGE_MAX_MS)).toISOString(),
  }
}

const LEVELS = ['debug', 'info', 'warn', 'error', 'fatal'] as const

/** @returns whether it was answered with success */
export async function sendLogs(
  { url, keys }: LogTargets,
  ledger: LogLedger,
  batch: LogBatch,
): Promise<boolean> {
  const answer = await post(`${url}/edge/logs`, keys[batch.mode], batch.body)
  const before = ledger.told.get(batch.body)
  if (answer === undefined) {
    if (!before) ledger.open.set(batch.body, batch)
    return false
  }
  if (!before) {
    ledger.told.set(batch.body, { ...batch, answer })
    if (answer.processed !== batch.entries.length) ledger.disagreeing.push(batch.body)
  } else if (!isSame(before.answer, answer)) ledger.disagreeing.push(batch.body)
  ledger.open.delete(batch.body)
  return true
}

/** Now and then compressed: what is recognised is what was inside. */
async function post(url: string, key: string, text: string): Promise<LogReceipt | undefined> {
  const isGzip = Math.random() < 0.2
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        'x-api-key': key,
        'content-type': 'application/json',
        ...(isGzip && { 'content-encoding': 'gzip' }),
      },
      body: isGzip ? new Uint8Array(gzipSync(text)) : text,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { message, content } = (await answer.json()) as {
      message: string
      content: Omit<LogReceipt, 'message'>
    }
    const { received, processed } = content
    return answer.status === 200 ? { message, received, processed } : undefined
  } catch {
    return undefined
  }
}

const isSame = (a: LogReceipt, b: LogReceipt): boolean =>
  a.message === b.message && a.received === b.received && a.processed === b.processed

function anyOf({ told, open }: LogLedger): LogBatch | undefined {
  const lost = [...open.values()].slice(-AGAIN_OF)
  const sent = lost.length > 0 && Math.random() < 0.5 ? lost : [...told.values()].slice(-AGAIN_OF)
  return sent[Math.floor(Math.random() * sent.length)]
}
