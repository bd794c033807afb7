/**
 * Which devices of a batch have to be written: those that this process has not written for a while.
 * When a device was last seen is not wanted to the second, and most come again with every batch.
 */
import type { Mode } from '../../../../platform/postgres/tables/platform.ts'
import type { SeenDevice } from './store.ts'

export type SeenDevices = {
  /** Those that have to be written with the batch. */
  due(owner: Owner, deviceIds: Iterable<string>, now: Date): SeenDevice[]
  /** Their transaction was committed; only now they count as written. */
  noteWritten(devices: readonly SeenDevice[]): void
}

type Owner = { org_id: string; mode: Mode }

const WRITTEN_EVERY_MS = 30_000
const REMEMBERED_MAX = 100_000

/** @param rememberedMax a device that is forgotten is only written more often */
export function createSeenDevices(rememberedMax = REMEMBERED_MAX): SeenDevices {
  // Two generations: when the younger has grown, the older is forgotten as a whole.
  let younger: Generation = new Map()
  let older: Generation = new Map()
  let size = 0

  return {
    due: ({ org_id, mode }, deviceIds, now) => {
      const owner = org_id + mode
      const [young, old] = [younger.get(owner), older.get(owner)]
      const nowMs = now.getTime()
      const devices: SeenDevice[] = []
      for (const device_id of deviceIds) {
        const at = young?.get(device_id) ?? old?.get(device_id)
        if (at !== undefined && Math.abs(nowMs - at) < WRITTEN_EVERY_MS) continue
        devices.push({ org_id, mode, device_id, seen_at: now })
      }
      return devices
    },
    noteWritten: (devices) => {
      for (const { org_id, mode, device_id, seen_at } of devices) {
        const owner = org_id + mode
        const of = younger.get(owner) ?? new Map<string, number>()
        younger.set(owner, of)
        if (!of.has(device_id)) size += 1
        of.set(device_id, seen_at.getTime())
        if (size * 2 < rememberedMax) continue
        older = younger
        younger = new Map()
        size = 0
      }
    },
  }
}

/** When devices were written, by owner and id. */
type Generation = Map<string, Map<string, number>>
