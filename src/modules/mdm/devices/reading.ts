/** Reading of managed devices: pages of them, and one with what happened to it lately. */
import { type Paging, paginationOf } from '../../../platform/http/paging.ts'
import { isUuid } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { shownEntry } from '../audit/record.ts'
import { listEntriesOfDevice } from '../audit/store.ts'
import { shownCommand } from '../commands/record.ts'
import { canMatch, type DeviceFilter } from './reading/filter.ts'
import { countDevices, findDevice, listCommandsOfDevice, listDevices } from './reading/store.ts'
import { shownDevice } from './record.ts'
import type { DevicePage, DeviceWithHistory } from './schema.ts'

export type DeviceReading = {
  /** The newest enrolled first; deleted ones only where they are asked for. */
  list(orgId: string, asked: DeviceFilter & Paging): Promise<DevicePage>
  /** With its newest commands and events. @returns undefined when the organisation has no such one */
  find(orgId: string, deviceId: string): Promise<DeviceWithHistory | undefined>
}

const COMMANDS_SHOWN = 20
const EVENTS_SHOWN = 50

export function createDeviceReading({ db }: { db: Db }): DeviceReading {
  return {
    list: async (orgId, asked) => {
      const numbers = canMatch(asked) ? await countDevices(db, orgId, asked) : NONE
      const rows = await listDevices(db, orgId, asked, asked, numbers)
      return { devices: rows.map(shownDevice), pagination: paginationOf(asked, numbers.matching) }
    },
    find: async (orgId, deviceId) => {
      if (!isUuid(deviceId)) return undefined
      const row = await findDevice(db, orgId, deviceId)
      if (!row) return undefined
      const [commands, events] = await Promise.all([
        listCommandsOfDevice(db, orgId, deviceId, COMMANDS_SHOWN),
        listEntriesOfDevice(db, orgId, deviceId, EVENTS_SHOWN),
      ])
      return {
        device: shownDevice(row),
        commands: commands.map(shownCommand),
        events: events.map(shownEntry),
      }
    },
  }
}

const NONE = { matching: 0, all: 0 }
