/**
 * The headers of a notification
 * (https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns).
 */
import { randomUUID } from 'node:crypto'
import type { WireRequest } from '../http2-wire.ts'
import { ApnsError } from './reasons.ts'

/** Push type → suffix that follows the bundle id in the topic. */
const SUFFIXES: Readonly<Record<string, string>> = {
  alert: '',
  background: '',
  mdm: '',
  voip: '.voip',
  complication: '.complication',
  fileprovider: '.pushkit.fileprovider',
  location: '.location-query',
  liveactivity: '.push-type.liveactivity',
  pushtotalk: '.voip-ptt',
  widgets: '.push-type.widgets',
  controls: '.push-type.controls',
}
const PRIORITIES = ['10', '5', '1']
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const TOPIC = /^[\w-]+(?:\.[\w-]+)+$/
const COLLAPSE_ID_MAX_BYTES = 64
const PAYLOAD_MAX_BYTES = 4_096
const VOIP_PAYLOAD_MAX_BYTES = 5_120

export type Notification = {
  readonly bundle_id: string
  readonly collapse_id: string | null
  readonly payload_max_bytes: number
}

/** Returns the `apns-id` of the answer: that of the request if it is valid, else a new one. */
export function idOf({ headers }: WireRequest): string {
  const requested = headers['apns-id']
  return typeof requested === 'string' && UUID.test(requested)
    ? requested
    : randomUUID().toUpperCase()
}

/** @throws ApnsError when a header is not valid */
export function readHeaders({ headers, raw_headers }: WireRequest): Notification {
  checkRepeated(raw_headers)
  const { 'apns-id': id, 'apns-topic': topic, 'apns-expiration': expiration = '0' } = headers
  if (id !== undefined && !UUID.test(String(id))) throw new ApnsError('BadMessageId')
  const type = String(headers['apns-push-type'] ?? 'alert')
  const suffix = Object.hasOwn(SUFFIXES, type) ? SUFFIXES[type] : undefined
  if (suffix === undefined) throw new ApnsError('InvalidPushType')
  if (!/^\d{1,15}$/.test(String(expiration))) throw new ApnsError('BadExpirationDate')
  checkPriority(type, headers['apns-priority'])
  const collapse_id = headers['apns-collapse-id']
  if (Buffer.byteLength(String(collapse_id ?? '')) > COLLAPSE_ID_MAX_BYTES) {
    throw new ApnsError('BadCollapseId')
  }
  if (topic === undefined || topic === '') throw new ApnsError('MissingTopic')
  const name = String(topic)
  if (!TOPIC.test(name) || !name.endsWith(suffix)) throw new ApnsError('BadTopic')
  return {
    bundle_id: name.slice(0, name.length - suffix.length),
    collapse_id: collapse_id === undefined ? null : String(collapse_id),
    payload_max_bytes: type === 'voip' ? VOIP_PAYLOAD_MAX_BYTES : PAYLOAD_MAX_BYTES,
  }
}

function checkPriority(type: string, priority: string | string[] | undefined): void {
  if (priority === undefined) return
  const isKnown = PRIORITIES.includes(String(priority))
  // Apple does not allow priority 10 for background notifications.
  if (!isKnown || (type === 'background' && priority === '10')) throw new ApnsError('BadPriority')
}

/** @param raw names and values alternately */
function checkRepeated(raw: readonly string[]): void {
  const seen = new Set<string>()
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? ''
    if (!name.startsWith('apns-') && name !== 'authorization') continue
    if (seen.has(name)) throw new ApnsError('DuplicateHeaders')
    seen.add(name)
  }
}
