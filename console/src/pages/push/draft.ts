import type { PushTarget } from '../../../../src/modules/push/messages/reading/schema.ts'
import type { MessageRequest } from '../../../../src/modules/push/messages/schema.ts'
import { readLocal } from '../../components/zone.ts'

export type Pair = { key: string; value: string }

const EMPTY_TEXTS = {
  ids: '',
  title: '',
  body: '',
  image: '',
  deep_link: '',
  ttl_seconds: '',
  collapse_key: '',
  badge: '',
  sound: '',
  channel_id: '',
  /** In the viewer's time zone, in the format of `datetime-local`. */
  send_at: '',
}

/** Field values as typed; empty ones are left out of the request. */
export type Draft = typeof EMPTY_TEXTS & {
  target: PushTarget
  data: readonly Pair[]
  priority: '' | 'high' | 'normal'
  is_later: boolean
}

export const EMPTY_DRAFT: Draft = {
  ...EMPTY_TEXTS,
  target: 'all',
  data: [],
  priority: '',
  is_later: false,
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
    // An unreadable time is sent as '' and rejected; without it the message would be sent immediately.
    ...(draft.is_later && { send_at: utcOf(draft.send_at) }),
  }
}

/** @param local a `datetime-local` value in the viewer's time zone @returns '' for an invalid time */
export function utcOf(local: string): string {
  const time = readLocal(local)
  return Number.isNaN(time.getTime()) ? '' : time.toISOString()
}

/** @returns a key that occurs twice, because only one of its values would be sent */
export function duplicateKeyOf({ data }: Pick<Draft, 'data'>): string | undefined {
  const keys = data.map(({ key }) => key).filter((key) => key !== '')
  return keys.find((key, index) => keys.indexOf(key) !== index)
}

/** Estimated size of the payload around the content: IDs, names, braces. */
const FRAME_BYTES = 220

/** Estimate for the longer of the two payloads. */
export function bytesOf(message: MessageRequest): number {
  const { title, body, data, image, deep_link, collapse_key, sound, channel_id } = message
  const carried = { title, body, data, image, deep_link, collapse_key, sound, channel_id }
  return FRAME_BYTES + new TextEncoder().encode(JSON.stringify(carried)).length
}
