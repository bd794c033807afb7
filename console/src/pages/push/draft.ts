/** A message while it is written, and what is asked of the service for it. */

import type { PushTarget } from '../../../../src/modules/push/messages/reading/schema.ts'
import type { MessageRequest } from '../../../../src/modules/push/messages/schema.ts'

export type Pair = { key: string; value: string }

/** Fields as they are typed; an empty one is left out. */
export type Draft = {
  target: PushTarget
  ids: string
  title: string
  body: string
  data: readonly Pair[]
  image: string
  deep_link: string
  ttl_seconds: string
  collapse_key: string
  priority: '' | 'high' | 'normal'
  badge: string
  sound: string
  channel_id: string
  is_later: boolean
  /** In the zone of the viewer, as `datetime-local` has it. */
  send_at: string
}

export const EMPTY_DRAFT: Draft = {
  target: 'all',
  ids: '',
  title: '',
  body: '',
  data: [],
  image: '',
  deep_link: '',
  ttl_seconds: '',
  collapse_key: '',
  priority: '',
  badge: '',
  sound: '',
  channel_id: '',
  is_later: false,
  send_at: '',
}

/** One per line. */
export const idsOf = ({ ids }: Pick<Draft, 'ids'>): string[] => [
  ...new Set(
    ids
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
]

export function messageOf(draft: Draft): MessageRequest {
  const { target, title, body, image, deep_link, collapse_key, priority, sound, channel_id } = draft
  const data = draft.data.filter(({ key }) => key !== '')
  const texts = { title, body, image, deep_link, collapse_key, sound, channel_id }
  return {
    ...(target === 'all' ? { all: true as const } : { [target]: idsOf(draft) }),
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')),
    ...(data.length > 0 && {
      data: Object.fromEntries(data.map(({ key, value }) => [key, value])),
    }),
    ...(draft.ttl_seconds !== '' && { ttl_seconds: Number(draft.ttl_seconds) }),
    ...(draft.badge !== '' && { badge: Number(draft.badge) }),
    ...(priority !== '' && { priority }),
    // One that cannot be read is refused: without it the message would go out at once.
    ...(draft.is_later && { send_at: utcOf(draft.send_at) }),
  }
}

/** @param local as `datetime-local` has it, in the zone of the viewer @returns '' for no time */
export function utcOf(local: string): string {
  const time = new Date(local)
  return Number.isNaN(time.getTime()) ? '' : time.toISOString()
}

/** Of two values under one key only one would be sent. */
export function doubleKeyOf({ data }: Pick<Draft, 'data'>): string | undefined {
  const keys = data.map(({ key }) => key).filter((key) => key !== '')
  return keys.find((key, index) => keys.indexOf(key) !== index)
}

/** So much is around the content of a notification: ids, names, braces. */
const FRAME_BYTES = 220

/** Roughly, for the longer of both payloads. */
export function bytesOf(message: MessageRequest): number {
  const { title, body, data, image, deep_link, collapse_key, sound, channel_id } = message
  const carried = { title, body, data, image, deep_link, collapse_key, sound, channel_id }
  return FRAME_BYTES + new TextEncoder().encode(JSON.stringify(carried)).length
}
