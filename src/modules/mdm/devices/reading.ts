/** Reads managed devices: pages of them, and one with its recent history. */
import { type Paging, paginationOf } from '../../../platform/http/paging.ts'
import { isUuid } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { toAuditEntry } from '../audit/record.ts'
import { listEntriesOfDevice } from '../audit/store.ts'
import { toCommand } from '../commands/record.ts'
import { canMatch, type DeviceFilter } from './filter.ts'
import { countDevices, findDevice, listCommandsOfDevice, listDevices } from './reading.store.ts'
import { toDevice } from './record.ts'
import type { DevicePage, DeviceWithHistory } from './schema.ts'

export type DeviceReading = {
  /** Newest enrolled first; without deleted devices unless the filter selects them. */
  list(orgId: string, query: DeviceFilter & Paging): Promise<DevicePage>
  /** @returns the device with its newest commands and events, undefined when there is none */
  find(orgId: string, deviceId: string): Promise<DeviceWithHistory | undefined>
}

const COMMANDS_MAX = 20
const EVENTS_MAX = 50

export function createDeviceReading({ db }: { db: Db }): DeviceReading {
  return {
    list: async (orgId, query) => {
      const numbers = canMatch(query) ? await countDevices(db, orgId, query) : NONE
      const rows = await listDevices({ db, orgId, filter: query, paging: query, numbers })
      return { devices: rows.map(toDevice), pagination: paginationOf(query, numbers.matching) }
    },
    find: async (orgId, deviceId) => {
      if (!isUuid(deviceId)) return undefined
      const row = await findDevice(db, orgId, deviceId)
      if (!row) return undefined
      const [commands, events] = await Promise.all([
        listCommandsOfDevice(db, orgId, deviceId, COMMANDS_MAX),
        listEntriesOfDevice(db, orgId, deviceId, EVENTS_MAX),
      ])
      return {
        device: toDevice(row),
        commands: commands.map(toCommand),
        events: events.map(toAuditEntry),
      }
    },
  }
}

const NONE = { matching: 0, all: 0 }
