/** Finds an entry by its id, which contains the time of its receipt, and so the day that has it. */
import { isUuid, timeOfId } from '../../../../platform/ids.ts'
import type { Finder } from '../../../../platform/postgres/name-search.ts'
import type { LogReader } from './store.ts'

type Found = { id: string; timestamp_ms: number; device_id: string; level: string; message: string }

/** The search waits for it, and shows what else it has found. */
const TIMEOUT_MS = 500
const MESSAGE_CHARS = 120

export const entryFinder =
  ({ query }: LogReader): Finder =>
  async (_db, { org_id, mode, text }) => {
    if (!isUuid(text)) return []
    const rows = await query<Found>(
      `select id, timestamp_ms, device_id, level, leftUTF8(message, ${MESSAGE_CHARS}) as message
      from edge_logs where org_id = {org:UUID} and mode = {mode:String}
        and received_on = toDate(fromUnixTimestamp64Milli({received_ms:Int64}, 'UTC'))
        and id = {id:UUID} limit 1`,
      { org: org_id, mode, received_ms: timeOfId(text).getTime(), id: text },
      { timeout_ms: TIMEOUT_MS },
    )
    return rows.map(({ timestamp_ms, device_id, level, message }) => {
      const at = new Date(timestamp_ms).toISOString()
      return {
        name: message,
        remark: `${level} · ${device_id}`,
        // The entry has no page: the explorer shows its device at its time.
        link: `/logs?${new URLSearchParams({ from: at, to: at, device_id }).toString()}`,
      }
    })
  }
