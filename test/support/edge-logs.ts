/** Logs for tests of readings, inserted directly into the engine without the ingestion. */

import { randomUUID } from 'node:crypto'
import { LEVELS } from '../../src/modules/edge/logs/level.ts'
import { searchedWords } from '../../src/modules/edge/logs/query/words.ts'
import type { StoredLog } from '../../src/modules/edge/logs/reading/record.ts'
import type { ClickHouse } from '../../src/platform/clickhouse/client.ts'
import type { Mode } from '../../src/platform/owner.ts'
import { HOUR_MS } from '../../src/platform/time-units.ts'

export type EdgeLog = StoredLog & { org_id: string; mode: Mode }

export function edgeLog(fields: Partial<EdgeLog> & { org_id: string }): EdgeLog {
  const received_at_ms = fields.received_at_ms ?? Date.parse('2026-03-01T12:00:00.000Z')
  return {
    mode: 'live',
    id: randomUUID(),
    received_at_ms,
    timestamp_ms: fields.timestamp_ms ?? received_at_ms,
    device_id: 'till-1',
    level: 'info',
    category: '',
    environment: '',
    message: 'hello',
    error_type: '',
    error_code: '',
    error_stack: '',
    error_fingerprint: '',
    data: '',
    tags: [],
    trace_id: '',
    span_id: '',
    ...fields,
  }
}

/** Inserts logs as several parts of the table, as when devices send them continuously. */
export async function addEdgeLogs(
  clickhouse: Pick<ClickHouse, 'insert'>,
  logs: readonly EdgeLog[],
  parts = 1,
): Promise<void> {
  for (let part = 0; part < parts; part += 1) {
    const lines = logs.filter((_, index) => index % parts === part).map(lineOf)
    if (lines.length === 0) continue
    await clickhouse.insert('edge_logs', lines, randomUUID(), AbortSignal.timeout(30_000))
  }
}

function lineOf({ received_at_ms, ...log }: EdgeLog): Buffer {
  const received_at = new Date(received_at_ms).toISOString().replace('T', ' ').replace('Z', '')
  return Buffer.from(
    `${JSON.stringify({ ...log, received_at, words: searchedWords(log.message) })}\n`,
  )
}

const WORDS = ['connection', 'Refused', 'timeout', 'ZÜRICH', 'straße', '日本語', '10.0.0.7', 'a_b']
const ODD_TIMES = [
  0,
  -1,
  1,
  -HOUR_MS,
  -HOUR_MS + 1,
  Date.parse('0001-01-01T00:00:00Z'),
  Date.parse('1969-12-31T23:30:00Z'),
  Date.parse('2099-07-01T10:20:30.456Z'),
]

/** @param random returns a number from 0 to just below 1, like Math.random */
export function randomEdgeLog(
  random: () => number,
  owners: readonly { org_id: string; mode: Mode }[],
  now: Date,
  days: number,
): EdgeLog {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const level = pick(LEVELS)
  const isError = level === 'error' || level === 'fatal'
  const received_at_ms = now.getTime() - Math.floor(random() * days * 24 * HOUR_MS)
  const onTheHour = Math.floor(received_at_ms / HOUR_MS) * HOUR_MS
  return edgeLog({
    ...pick(owners),
    received_at_ms,
    timestamp_ms: pick([
      received_at_ms,
      received_at_ms - Math.floor(random() * HOUR_MS),
      onTheHour,
      onTheHour - 1,
      pick(ODD_TIMES),
    ]),
    device_id: `till-${Math.floor(random() * 6)}`,
    level,
    category: pick(['', 'payment', 'network']),
    environment: pick(['', 'production', 'staging']),
    message: Array.from({ length: Math.floor(random() * 5) }, () => pick(WORDS)).join(
      pick([' ', '-', '…']),
    ),
    error_type: isError ? pick(['', 'TimeoutError', 'IOError']) : '',
    error_fingerprint: isError ? pick(['aa', 'bb', 'cc', 'dd']).repeat(16) : '',
  })
}

/** Returns a random number generator with the same sequence for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 0x1_0000_0000
  }
}
