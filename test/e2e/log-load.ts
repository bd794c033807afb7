/**
 * Clients that send batches of logs and repeat some of them byte by byte: unanswered ones, answered
 * ones, and some twice at the same time. The responses are recorded in one ledger.
 */
import { isDeepStrictEqual } from 'node:util'
import { gzipSync } from 'node:zlib'
import { REPEATED } from '../../src/modules/edge/logs/ingest/service.ts'
import type { Mode } from '../../src/platform/owner.ts'
import { anyOf } from './chance.ts'
import { startClients } from './load.ts'
import { pause } from './program.ts'

export type SentLog = {
  device_id: string
  level: 'debug' | 'info' | 'warn' | 'error' | 'fatal'
  /** Unique within the test. */
  message: string
  timestamp: string
}

export type LogBatch = {
  mode: Mode
  /** The exact body, also of repetitions. */
  body: string
  /** The valid entries. */
  entries: SentLog[]
}

export type LogReceipt = { message: string; received: number; processed: number }

export type LogLedger = {
  /** Acknowledged batches by body. */
  acknowledged: Map<string, LogBatch & { receipt: LogReceipt }>
  /** Batches that were sent and not acknowledged yet. */
  open: Map<string, LogBatch>
  /** Batches that were never acknowledged and are not sent again. */
  abandoned: LogBatch[]
  /** Contradicting or impossible receipts. */
  inconsistent: string[]
}

export const newLogLedger = (): LogLedger => ({
  acknowledged: new Map(),
  open: new Map(),
  abandoned: [],
  inconsistent: [],
})

export type LogTargets = { url: string; keys: Record<Mode, string> }

const CLIENTS = 8
/** This client sends with a test key. */
const TEST_CLIENT = 0
const ENTRIES_MAX = 50
const DEVICES = 40
const TIMEOUT_MS = 15_000
/** Limits the load, because all entries are read again at the end. */
const PAUSE_MAX_MS = 40
/** While the service does not answer, clients repeat what they have sent instead of sending more. */
const OPEN_MAX = 50
/** Only recent batches are repeated, well within the time in which repetitions are recognized. */
const REPEATABLE_BATCHES = 100
/** Maximum age of the timestamps of entries. */
const AGE_MAX_MS = 40 * 3_600_000

/** @param name distinguishes the entries of this load from all others of the test */
export function startLogs(
  targets: LogTargets,
  ledger: LogLedger,
  name: string,
): { stop(): Promise<void> } {
  return startClients(CLIENTS, async (client, number) => {
    const dice = Math.random()
    const isRepetition = dice < 0.2 || ledger.open.size > OPEN_MAX
    const mode = client === TEST_CLIENT ? 'test' : 'live'
    const batch =
      (isRepetition ? anySent(ledger) : undefined) ?? newBatch(mode, `${name}-${client}-${number}`)
    // Some clients repeat a batch before its response has arrived.
    const times = dice > 0.9 ? 2 : 1
    const results = Array.from({ length: times }, () => sendLogs(targets, ledger, batch))
    await pause(Math.random() * PAUSE_MAX_MS)
    return (await Promise.all(results)).every((isAcknowledged) => isAcknowledged)
  })
}

function newBatch(mode: Mode, name: string): LogBatch {
  const isLarge = Math.random() < LARGE_SHARE
  const count = isLarge ? ENTRIES_MAX : 1 + Math.floor(Math.random() * ENTRIES_MAX)
  const entries = Array.from({ length: count }, (_, index) => newEntry(`${name}-${index}`))
  if (isLarge) for (const entry of entries) entry.level = 'error'
  // A bad entry must not affect the rest of its batch.
  const logs: object[] = isLarge
    ? entries.map((entry) => ({ ...entry, error: ERROR }))
    : [...entries]
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

/** Batches with more errors than are grouped on receipt. */
const LARGE_SHARE = 0.03
const ERROR = {
  type: 'Timeout',
  stack: `Timeout\n${'    at pay (/srv/till.js:1:2)\n'.repeat(500)}`,
}

const LEVELS = ['debug', 'info', 'warn', 'error', 'fatal'] as const

/** @returns whether the batch was acknowledged */
export async function sendLogs(
  { url, keys }: LogTargets,
  ledger: LogLedger,
  batch: LogBatch,
): Promise<boolean> {
  const receipt = await post(`${url}/edge/logs`, keys[batch.mode], batch.body)
  const before = ledger.acknowledged.get(batch.body)
  if (receipt === undefined) {
    if (!before) ledger.open.set(batch.body, batch)
    return false
  }
  if (!before) {
    ledger.acknowledged.set(batch.body, { ...batch, receipt })
    if (receipt.processed !== batch.entries.length) {
      ledger.inconsistent.push(show(batch.entries.length, receipt))
    }
  } else if (!isSame(before.receipt, receipt)) {
    ledger.inconsistent.push(show(before.receipt, receipt))
  }
  ledger.open.delete(batch.body)
  return true
}

/** Compresses some bodies, because repetitions are recognized by the decompressed body. */
async function post(url: string, key: string, text: string): Promise<LogReceipt | undefined> {
  const isGzip = Math.random() < 0.2
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'x-api-key': key,
        'content-type': 'application/json',
        ...(isGzip && { 'content-encoding': 'gzip' }),
      },
      body: isGzip ? new Uint8Array(gzipSync(text)) : text,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { message, content } = (await response.json()) as {
      message: string
      content: Omit<LogReceipt, 'message'>
    }
    const { received, processed } = content
    return response.status === 200 ? { message, received, processed } : undefined
  } catch {
    return undefined
  }
}

const show = (...facts: unknown[]): string => JSON.stringify(facts)

/** Whether two receipts are the same, apart from the sentence that one of them is a repetition (OP-131). */
const isSame = (a: LogReceipt, b: LogReceipt): boolean =>
  isDeepStrictEqual(withoutRepeated(a), withoutRepeated(b))

const withoutRepeated = (receipt: LogReceipt): LogReceipt => ({
  ...receipt,
  message: receipt.message.replace(`; ${REPEATED}`, ''),
})

function anySent({ acknowledged, open }: LogLedger): LogBatch | undefined {
  const unanswered = [...open.values()].slice(-REPEATABLE_BATCHES)
  const answered = [...acknowledged.values()].slice(-REPEATABLE_BATCHES)
  return anyOf(unanswered.length > 0 && Math.random() < 0.5 ? unanswered : answered)
}
