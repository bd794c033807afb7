/**
 * Batches of log entries for the load generator. Each body is another one, because the service would
 * recognise it otherwise; but only its first entry is made for it, the others are taken from a stock,
 * so that making bodies takes little of the processors that are measured.
 */
import { gzipSync } from 'node:zlib'
import { logEntry } from './logs-entries.ts'
import type { Asked } from './requests.ts'

/** Entries in a batch, and how they travel. */
export const LOG_BATCHES = {
  logs_1: { entries: 1, is_gzip: false },
  logs_50: { entries: 50, is_gzip: false },
  logs_500: { entries: 500, is_gzip: false },
  logs_500_gzip: { entries: 500, is_gzip: true },
} as const
export type LogBatchKind = keyof typeof LOG_BATCHES

/** One block of the analytics engine holds no entry of the stock twice. */
const STOCK_ENTRIES = 50_000
/** Of batches that need no stock. */
const STOCK_MAX = 100

export const isLogBatch = (kind: string): kind is LogBatchKind => kind in LOG_BATCHES

/** @param now when the load generator was started; tells its batches from those of others */
export function createLogBatches(kind: LogBatchKind, now: Date): (number: number) => Asked {
  const { entries, is_gzip } = LOG_BATCHES[kind]
  const pack = is_gzip ? gzipText : (text: string) => text
  const rests = Array.from({ length: Math.min(STOCK_MAX, STOCK_ENTRIES / entries) }, (_, batch) =>
    pack(`${restOf(batch, entries, now)}]}`),
  )
  const started = now.getTime().toString(16)
  const echo = `"received":${entries},"processed":${entries}`
  return (number) => {
    const first = logEntry(number, now)
    first.trace_id = `${started}-${number.toString(16)}`
    // Members of a gzip file follow one another (RFC 1952, 2.2), so only the small one is packed now.
    const body = pack(`{"logs":[${JSON.stringify(first)}`) + (rests[number % rests.length] ?? '')
    return {
      path: '/v1/edge/logs',
      body,
      echo,
      ...(is_gzip && { headers: 'Content-Encoding: gzip\r\n' }),
    }
  }
}

function restOf(batch: number, entries: number, now: Date): string {
  let text = ''
  for (let index = 1; index < entries; index += 1) {
    text += `,${JSON.stringify(logEntry(batch * entries + index, now))}`
  }
  return text
}

/** As the load generator sends it: characters are bytes. */
const gzipText = (text: string): string => gzipSync(text).toString('latin1')
