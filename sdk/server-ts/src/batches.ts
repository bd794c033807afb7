/** Sends lists of any length in requests of the permitted size, one after the other and in order. */
import type { Vigil } from './client.ts'
import { VigilError } from './errors.ts'
import { BATCHES, type Operations } from './generated/operations.ts'
import type { CheckRequest, EdgeLogBatch, OrderRequest } from './generated/types.ts'
import type { CallOptions } from './options.ts'

export type Source<T> = Iterable<T> | AsyncIterable<T>
export type BatchOptions = CallOptions & {
  /** Elements of a request, at most as many as the service permits. */
  batch_items?: number | undefined
}

export type LogEntry = EdgeLogBatch['logs'][number]
export type CheckOutcome = Awaited<ReturnType<Operations['createChecks']>>[number]
export type OrderOutcome = Awaited<ReturnType<Operations['createOrders']>>[number]
export type LogReceipt = Awaited<ReturnType<Operations['sendEdgeLogs']>>

/**
 * Checks each element and returns the envelope of each, in order. The next request is sent when its
 * results are read, so a source may be endless.
 *
 * @throws VigilError with `index` when a whole request fails; the elements before it have results
 */
export async function* checkAll(
  vigil: Vigil,
  checks: Source<CheckRequest>,
  options: BatchOptions = {},
): AsyncGenerator<CheckOutcome> {
  for await (const { items, start } of batchesOf(checks, limitsOf('createChecks', options))) {
    yield* await at(start, () => vigil.createChecks({ checks: items }, options))
  }
}

/** Submits orders; like {@link checkAll}. Orders are scored in this order. */
export async function* submitOrders(
  vigil: Vigil,
  orders: Source<OrderRequest>,
  options: BatchOptions = {},
): AsyncGenerator<OrderOutcome> {
  for await (const { items, start } of batchesOf(orders, limitsOf('createOrders', options))) {
    yield* await at(start, () => vigil.createOrders({ orders: items }, options))
  }
}

/**
 * Sends log entries. Put a `timestamp` into each: identical entries without one count once in 15 minutes.
 *
 * @returns the sums; `errors` has the index in the whole list, of at most 100 rejected entries per request
 */
export async function sendLogs(
  vigil: Vigil,
  entries: Source<LogEntry>,
  options: BatchOptions = {},
): Promise<LogReceipt & { errors: NonNullable<LogReceipt['errors']> }> {
  const sum = { received: 0, processed: 0, errors: [] as NonNullable<LogReceipt['errors']> }
  for await (const { items, start } of batchesOf(entries, limitsOf('sendEdgeLogs', options))) {
    const receipt = await at(start, () => vigil.sendEdgeLogs({ logs: items }, options))
    sum.received += receipt.received
    sum.processed += receipt.processed
    for (const error of receipt.errors ?? []) {
      sum.errors.push({ ...error, index: error.index + start })
    }
  }
  return sum
}

type Limits = { items_max: number; bytes_max: number }

/** Bytes of the object around the list. */
const ENVELOPE_BYTES = 64
/** Bytes that a filled-in `event_id` and the comma add to an element. */
const ELEMENT_BYTES = 64

function limitsOf(name: keyof typeof BATCHES, { batch_items }: BatchOptions): Limits {
  const { max_items, max_bytes } = BATCHES[name]
  const items_max = batch_items ?? max_items
  if (!Number.isInteger(items_max) || items_max < 1 || items_max > max_items) {
    throw new TypeError(`batch_items must be an integer from 1 to ${max_items}`)
  }
  return { items_max, bytes_max: max_bytes - ENVELOPE_BYTES }
}

/**
 * Splits a list. An element that is too large for any request is the only one of its batch, and the service names
 * its fault.
 */
export async function* batchesOf<T>(
  source: Source<T>,
  { items_max, bytes_max }: Limits,
): AsyncGenerator<{ items: T[]; start: number }> {
  let items: T[] = []
  let bytes = 0
  let start = 0
  for await (const item of source) {
    const size = byteLength(JSON.stringify(item)) + ELEMENT_BYTES
    if (items.length === items_max || (items.length > 0 && bytes + size > bytes_max)) {
      yield { items, start }
      start += items.length
      items = []
      bytes = 0
    }
    items.push(item)
    bytes += size
  }
  if (items.length > 0) yield { items, start }
}

const encoder = new TextEncoder()
export const byteLength = (text: string): number => encoder.encode(text).length

async function at<T>(start: number, send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (error instanceof VigilError) error.index = start
    throw error
  }
}
