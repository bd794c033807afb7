/**
 * Ingests batches of logs. Entries are validated one by one; the valid ones are stored, counted and
 * charged in one transaction with the devices that sent them.
 */
import { createRowWriter } from '../../../../platform/clickhouse/row-binary.ts'
import type { Clock } from '../../../../platform/clock.ts'
import { invalidRequest, tooManyRequests } from '../../../../platform/http/errors.ts'
import type { NewId } from '../../../../platform/ids.ts'
import { isObject } from '../../../../platform/is-object.ts'
import type { Owner } from '../../../../platform/owner.ts'
import { rowFor } from '../../../../platform/postgres/rows.ts'
import {
  type CreditRule,
  creditsUsedUp,
  isOutOfCredits,
  type Payer,
  priceOfLogs,
} from '../../../billing/index.ts'
import {
  bodyHash,
  examine,
  type Intake,
  RETRY_MINUTES,
  type Receipt,
} from '../../../intake/index.ts'
import { seenDeviceWriter } from '../../devices/seen-devices.store.ts'
import { createSeenDevices } from '../../devices/seen-devices.ts'
import { LOG_ROWS } from '../row.ts'
import { createDataText, type DataText } from './data-text.ts'
import { createEntryReader } from './entry.ts'
import type { IngestLimits } from './schema.ts'

export type LogIngestOptions = CreditRule & {
  clock: Clock
  newId: NewId
  intake: Pick<Intake, 'submit' | 'fullFor' | 'nextTurn' | 'grouping'>
  field_limits: IngestLimits
}

export type LogIngest = {
  /**
   * @param body the parsed body
   * @param bytes the body after decompression
   * @throws AppError 400 if no entry is valid, 403 if credits are required and used up, 429 if too
   *   much waits in the spool
   */
  ingestLogs(owner: Payer, body: unknown, bytes: Buffer): Promise<Receipt>
  /** The same for at least one entry of another format. */
  ingestEntries(owner: Payer, batch: EntryBatch): Promise<Receipt>
}

/** Entries that were read from a body of any format. */
export type EntryBatch = {
  /** Name of the list of entries in messages. */
  list: string
  entries: readonly unknown[]
  /** The body after decompression, which identifies a retry among those of its format. */
  bytes: Buffer
  /** Part of the identity; absent for the format of the specification. */
  format?: string
  dataText: DataText
  /** Maximum size of the stored rows, for formats in which entries share what is stored with each. */
  rows_max_bytes?: number
}

export const RECEIVED = 'Logs received'
export const LOG_METER = 'edge_log'
const TARGET = 'edge_logs'
/** Devices that send no timestamps can lose entries this way. */
export const REPEATED = `the same body was received in the last ${RETRY_MINUTES} minutes and is stored once. A timestamp in every entry makes bodies distinct`

export function createLogIngest(options: LogIngestOptions): LogIngest {
  const { clock, newId, intake, field_limits } = options
  const seen = createSeenDevices()

  const ingest: LogIngest = {
    ingestLogs: async (owner, body, bytes) => {
      refuseFull(owner)
      const entries = logsOf(body, field_limits.edge_batch_max)
      const batch = { list: 'logs', entries, bytes, dataText: createDataText(bytes) }
      return await ingest.ingestEntries(owner, batch)
    },
    ingestEntries: async (owner, batch) => {
      refuseFull(owner)
      const { org_id, mode, key_id } = owner
      const { list, entries, bytes, dataText, format, rows_max_bytes = Infinity } = batch
      if (await isOutOfCredits(options, owner)) throw creditsUsedUp()
      const received_at = clock.now()
      const may_be_ill_formed = bytes.includes('\\ud') || bytes.includes('\\uD')
      const id = newId(received_at)
      const groupOnReceipt = intake.grouping.forBatch(org_id)
      const facts = { org_id, mode, received_at, id, may_be_ill_formed, dataText, groupOnReceipt }
      const rows = createRowWriter()
      const reader = createEntryReader(field_limits, facts, rows)
      const examined = await examine({
        list,
        elements: entries,
        message: RECEIVED,
        nextTurn: intake.nextTurn,
        take: (entry, index) => {
          const fault = reader.read(entry, index)
          if (rows.size() > rows_max_bytes) throw tooLarge(rows_max_bytes)
          return fault
        },
      })
      const devices = seen.due(owner, reader.deviceIds, received_at)
      const receipt = await intake.submit({
        org_id,
        mode,
        key_id,
        target: TARGET,
        is_ungrouped: reader.isUngrouped(),
        body_hash: bodyHash(format === undefined ? TARGET : `${TARGET} ${format}`, bytes),
        received: entries.length,
        ...examined,
        payload: rows.take(),
        shape: LOG_ROWS,
        meter: LOG_METER,
        price: priceOfLogs,
        occurred_at: received_at,
        rows: devices.map((device) => rowFor(seenDeviceWriter, device)),
      })
      if (receipt.is_repeat) return { ...receipt, message: `${receipt.message}; ${REPEATED}` }
      seen.markWritten(devices)
      return receipt
    },
  }
  return ingest

  function refuseFull({ org_id }: Owner): void {
    const retryAfter = intake.fullFor(org_id)
    if (retryAfter !== undefined) throw tooManyRequests(retryAfter)
  }
}

const tooLarge = (maxBytes: number) =>
  invalidRequest('body', `The log entries of the request body are larger than ${maxBytes} bytes`)

function logsOf(body: unknown, max: number): readonly unknown[] {
  if (!isObject(body)) throw invalidRequest('body', 'body must be object')
  const logs = body['logs']
  if (logs === undefined) throw invalidRequest('logs', 'logs is required')
  if (!Array.isArray(logs)) throw invalidRequest('logs', 'logs must be array')
  if (logs.length === 0) throw invalidRequest('logs', 'logs must not have fewer than 1 items')
  if (logs.length > max) throw invalidRequest('logs', `logs must not have more than ${max} items`)
  return logs
}
