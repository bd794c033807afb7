/**
 * Selects the devices of a batch whose `last_seen_at` must be written: those that this process has
 * not written recently. The time is not needed to the second, and most devices are in every batch.
 */
import type { Owner } from '../../../platform/owner.ts'
import type { SeenDevice } from './seen-devices.store.ts'

export type SeenDevices = {
  /** Devices that must be written with the batch. */
  due(owner: Owner, deviceIds: Iterable<string>, now: Date): SeenDevice[]
  /** Call after the transaction was committed; only then do the devices count as written. */
  markWritten(devices: readonly SeenDevice[]): void
}

const WRITTEN_EVERY_MS = 30_000
const CACHED_MAX = 100_000

/** @param cachedMax a device that drops out of the cache is only written more often */
export function createSeenDevices(cachedMax = CACHED_MAX): SeenDevices {
  // Two generations: when the younger one is full, the older one is dropped as a whole.
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
    markWritten: (devices) => {
      for (const { org_id, mode, device_id, seen_at } of devices) {
        const owner = org_id + mode
        const of = younger.get(owner) ?? new Map<string, number>()
        younger.set(owner, of)
        if (!of.has(device_id)) size += 1
        of.set(device_id, seen_at.getTime())
        if (size * 2 < cachedMax) continue
        older = younger
        younger = new Map()
        size = 0
      }
    },
  }
}

/** Time at which each device was written, by owner and device id. */
type Generation = Map<string, Map<string, number>>
