/** Cursor of the device list: the position of the last device that was examined. */

/** `seen` is a time in the database's own text format, which keeps its microseconds. */
export type Place = { seen: string; device_id: string }

const SEEN = /^\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d(:\d\d){0,2}$/

export const cursorOf = ({ seen, device_id }: Place): string =>
  Buffer.from(JSON.stringify([seen, device_id])).toString('base64url')

/** @returns undefined if the text is not a cursor of this list */
export function placeOf(cursor: string): Place | undefined {
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (!Array.isArray(read) || read.length !== 2) return undefined
    const [seen, device_id] = read as unknown[]
    if (typeof seen !== 'string' || !SEEN.test(seen)) return undefined
    if (typeof device_id !== 'string' || device_id.includes('\0')) return undefined
    return { seen, device_id }
  } catch {
    return undefined
  }
}
