/** Reads the provider's messages as reports about devices and results of commands. */
import { createdAt } from '../providers/messages.ts'
import type { WireDevice, WireMessage, WireOperation } from '../providers/port.ts'

export type Content =
  | { kind: 'device'; device: WireDevice }
  | { kind: 'operation'; device_name: string; operation: WireOperation & { name: string } }
  /** Malformed, or of a type that is not handled; sending the message again would not help. */
  | { kind: 'nothing' }

/** Excludes NUL, which PostgreSQL cannot store: no stored name contains it. */
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

/** Returns the `enterprises/…` that the message names, or an empty string. */
export function enterpriseOf({ data }: WireMessage): string {
  const name: unknown = (data as { name?: unknown } | null | undefined)?.name
  return typeof name === 'string' ? name.split('/', 2).join('/') : ''
}

/**
 * The provider may report the end of a command before its sender has stored the name of the operation.
 * An unknown operation that is older than this race can last was not issued by Vigil.
 */
export const isRecent = (operation: WireOperation, now: Date): boolean =>
  now.getTime() - createdAt(operation) < RACE_MS

const RACE_MS = 10 * 60_000
