/**
 * Takes batches of logs in: each entry is examined on its own, and those that are good are stored,
 * counted and priced together with the devices that they came from.
 */
import type { Clock } from '../../../../platform/clock.ts'
import type { KeyPrincipal } from '../../../../platform/http/access.ts'
import { invalidRequest, tooManyRequests } from '../../../../platform/http/errors.ts'
import type { NewId } from '../../../../platform/ids.ts'
import { rowFor } from '../../../../platform/states/index.ts'
import { type CreditRule, creditsUsedUp, lacksCredits } from '../../../billing/index.ts'
import { bodyHash, examine, type Intake, type Receipt } from '../../../intake/index.ts'
import { createSeenDevices } from '../../devices/seen/seen-devices.ts'
import { seenDeviceWriter } from '../../devices/seen/store.ts'
import { createEntryReader } from './entry.ts'
import { priceOfLogs } from './pricing.ts'
import type { IngestLimits } from './schema.ts'

export type LogIngestOptions = CreditRule & {
  clock: Clock
  newId: NewId
  intake: Pick<Intake, 'submit' | 'fullFor'>
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
  const { clock, newId, intake, field_limits } = options
  const seen = createSeenDevices()

  return {
    ingestLogs: async (owner, body, bytes) => {
      const retryAfter = intake.fullFor()
      if (retryAfter !== undefined) throw tooManyRequests(retryAfter)
      const logs = logsOf(body, field_limits.edge_batch_max)
      const { org_id, mode } = owner
      if (await lacksCredits(options, owner)) throw creditsUsedUp()
      const received_at = clock.now()
      const may_be_ill_formed = bytes.includes('\\ud') || bytes.includes('\\uD')
      const facts = { org_id, mode, received_at, id: newId(received_at), may_be_ill_formed }
      const read = createEntryReader(field_limits, facts)
      let lines = ''
      const deviceIds = new Set<string>()
      const examined = await examine({
        list: 'logs',
        elements: logs,
        message: RECEIVED,
        take: (entry, index) => {
          const result = read(entry, index)
          if (!('line' in result)) return result
          lines += result.line
          deviceIds.add(result.device_id)
          return undefined
        },
      })
      const devices = seen.due(owner, deviceIds, received_at)
      const receipt = await intake.submit({
        org_id,
        mode,
        target: TARGET,
        body_hash: bodyHash(TARGET, bytes),
        received: logs.length,
        ...examined,
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
