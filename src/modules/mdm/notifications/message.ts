/** Sorts what the provider's messages say into what is applied to devices, and to commands. */
import type { WireDevice, WireMessage, WireOperation } from '../providers/port.ts'

export type Content =
  | { kind: 'device'; device: WireDevice }
  | { kind: 'operation'; device_name: string; operation: WireOperation & { name: string } }
  /** Malformed, or of a kind that means nothing here: it never will be anything else. */
  | { kind: 'nothing' }

/** Without what the database cannot store: nothing that was stored is named like that. */
const OPERATION =
  /^(enterprises\/[^/\s\0]{1,128}\/devices\/[^/\s\0]{1,128})\/operations\/[^/\s\0]{1,256}$/

/** https://developers.google.com/android/management/notifications */
export function contentOf({ notification_type, data }: WireMessage): Content {
  if (typeof data !== 'object' || data === null) return { kind: 'nothing' }
  if (notification_type === 'ENROLLMENT' || notification_type === 'STATUS_REPORT') {
    return { kind: 'device', device: data }
  }
  return notification_type === 'COMMAND' ? operationOf(data) : { kind: 'nothing' }
}

function operationOf(operation: WireOperation): Content {
  const { name } = operation
  const device_name = typeof name === 'string' ? OPERATION.exec(name)?.[1] : undefined
  if (name === undefined || device_name === undefined) return { kind: 'nothing' }
  return { kind: 'operation', device_name, operation: { ...operation, name } }
}

/** `enterprises/…`, that it says it is about. */
export function enterpriseOf({ data }: WireMessage): string {
  const name: unknown = (data as { name?: unknown } | null | undefined)?.name
  return typeof name === 'string' ? name.split('/', 2).join('/') : ''
}

/**
 * The provider may tell the end of a command before the one who sent it has written down its name. What
 * is older than that can take was issued by somebody else.
 */
export function isRecent({ metadata }: WireOperation, now: Date): boolean {
  const created = typeof metadata?.createTime === 'string' ? Date.parse(metadata.createTime) : NaN
  return now.getTime() - created < RACE_MS
}

const RACE_MS = 10 * 60_000
