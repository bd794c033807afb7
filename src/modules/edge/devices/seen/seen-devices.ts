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
  let younger = new Map<string, number>()
  let older = new Map<string, number>()

  const wasWrittenLately = (key: string, nowMs: number): boolean => {
    const at = younger.get(key) ?? older.get(key)
    return at !== undefined && Math.abs(nowMs - at) < WRITTEN_EVERY_MS
  }

  return {
    due: ({ org_id, mode }, deviceIds, now) => {
      const devices: SeenDevice[] = []
      for (const device_id of deviceIds) {
        if (wasWrittenLately(keyOf(org_id, mode, device_id), now.getTime())) continue
        devices.push({ org_id, mode, device_id, seen_at: now })
      }
      return devices
    },
    noteWritten: (devices) => {
      for (const { org_id, mode, device_id, seen_at } of devices) {
        younger.set(keyOf(org_id, mode, device_id), seen_at.getTime())
        if (younger.size * 2 < rememberedMax) continue
        older = younger
        younger = new Map()
      }
    },
  }
}

const keyOf = (orgId: string, mode: Mode, deviceId: string): string => orgId + mode + deviceId
