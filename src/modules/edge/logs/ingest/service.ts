/**
 * Takes batches of logs in: each entry is examined on its own, and those that are good are stored,
 * counted and priced together with the devices that they came from.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../../../platform/clock.ts'
import type { KeyPrincipal } from '../../../../platform/http/access.ts'
import { forbidden, invalidRequest, tooManyRequests } from '../../../../platform/http/errors.ts'
import type { NewId } from '../../../../platform/ids.ts'
import { rowFor } from '../../../../platform/states/index.ts'
import type { Billing } from '../../../billing/index.ts'
import { bodyHash, type Intake, type Receipt } from '../../../intake/index.ts'
import { createSeenDevices } from '../../devices/seen/seen-devices.ts'
import { seenDeviceWriter } from '../../devices/seen/store.ts'
import { createEntryReader, type EntryFault, type EntryReader } from './entry.ts'
import { priceOfLogs } from './pricing.ts'
import type { IngestLimits } from './schema.ts'

export type LogIngestOptions = {
  clock: Clock
  newId: NewId
  intake: Pick<Intake, 'submit' | 'fullFor'>
  billing: Pick<Billing, 'usageAvailable'>
  credits_required: boolean
  field_limits: IngestLimits
}

type Owner = Pick<KeyPrincipal, 'org_id' | 'mode'>

export type LogIngest = {
  /**
   * @param body what was read from `bytes`
   * @param bytes of the body, after decompression
   * @throws AppError 400 when nothing in it is valid, 403 when credits are required and used up, 429
   *   when too much waits to be stored
   */
  ingestLogs(owner: Owner, body: unknown, bytes: Buffer): Promise<Receipt>
}

export const RECEIVED = 'Logs received'
export const LOG_METER = 'edge_log'
const TARGET = 'edge_logs'

export function createLogIngest(options: LogIngestOptions): LogIngest {
  const { clock, newId, intake, billing, credits_required, field_limits } = options
  const seen = createSeenDevices()

  return {
    ingestLogs: async (owner, body, bytes) => {
      const retryAfter = intake.fullFor()
      if (retryAfter !== undefined) throw tooManyRequests(retryAfter)
      const logs = logsOf(body, field_limits.edge_batch_max)
      const { org_id, mode } = owner
      if (credits_required && mode === 'live' && !(await billing.usageAvailable(org_id))) {
        throw forbidden('The credits of this organisation are used up')
      }
      const received_at = clock.now()
      const may_be_ill_formed = bytes.includes('\\ud') || bytes.includes('\\uD')
      const facts = { org_id, mode, received_at, id: newId(received_at), may_be_ill_formed }
      const { lines, processed, deviceIds, faults } = await readAll(
        logs,
        createEntryReader(field_limits, facts),
      )
      const [first] = faults
      if (processed === 0 && first) throw invalidRequest(fieldOf(first), reasonOf(first))
      const devices = seen.due(owner, deviceIds, received_at)
      const receipt = await intake.submit({
        org_id,
        mode,
        target: TARGET,
        body_hash: bodyHash(TARGET, bytes),
        received: logs.length,
        processed,
        message: messageOf(logs.length, faults),
        payload: Buffer.from(lines),
        meter: LOG_METER,
        price: priceOfLogs,
        occurred_at: received_at,
        rows: devices.map((device) => rowFor(seenDeviceWriter, device)),
      })
      if (!receipt.is_repeat) seen.noteWritten(devices)
      return receipt
    },
  }
}

function logsOf(body: unknown, max: number): readonly unknown[] {
  if (!isObject(body)) throw invalidRequest('body', 'body must be object')
  const { logs } = body
  if (logs === undefined) throw invalidRequest('logs', 'logs is required')
  if (!Array.isArray(logs)) throw invalidRequest('logs', 'logs must be array')
  if (logs.length === 0) throw invalidRequest('logs', 'logs must not have fewer than 1 items')
  if (logs.length > max) throw invalidRequest('logs', `logs must not have more than ${max} items`)
  return logs
}

const isObject = (value: unknown): value is { logs?: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type PlacedFault = EntryFault & { index: number }

/** Other requests get their turn in between: large errors take their time to be grouped. */
const TURN_MAX_MS = 4

async function readAll(logs: readonly unknown[], read: EntryReader) {
  let lines = ''
  let processed = 0
  const deviceIds = new Set<string>()
  const faults: PlacedFault[] = []
  let turnBegan = performance.now()
  for (let index = 0; index < logs.length; index += 1) {
    const result = read(logs[index], index)
    if ('line' in result) {
      lines += result.line
      processed += 1
      deviceIds.add(result.device_id)
    } else faults.push({ ...result, index })
    if (performance.now() - turnBegan > TURN_MAX_MS) {
      await nextTurn()
      turnBegan = performance.now()
    }
  }
  return { lines, processed, deviceIds, faults }
}

const fieldOf = ({ index, field }: PlacedFault): string =>
  field === '' ? `logs.${index}` : `logs.${index}.${field}`

const reasonOf = (fault: PlacedFault): string => `${fieldOf(fault)} ${fault.problem}`

function messageOf(received: number, faults: readonly PlacedFault[]): string {
  const [first] = faults
  if (!first) return RECEIVED
  return `${RECEIVED}; ${faults.length} of ${received} refused, the first: ${reasonOf(first)}`
}
