import type { NewId } from '../../../../platform/ids.ts'
import type { Log } from '../../../../platform/log.ts'
import type { Database } from '../../../../platform/postgres/db.ts'
import type { DeviceWriter } from '../../devices/device-writer.ts'

export type SettleOptions = {
  db: Database
  newId: NewId
  log: Log
  /** Time after which a command without a result is looked up at the provider. */
  mdm_command_check_minutes: number
  writer: DeviceWriter
}

export type SettleContext = SettleOptions & {
  now: Date
  /** Returns numbers from 0 up to, but not including, 1. */
  random: () => number
}
