/**
 * The record of an emulated push provider: each accepted message with the number of times it was
 * accepted, and for each phone a count and its last payloads.
 */
import { createRingBuffer, type RingBuffer } from './ring-buffer.ts'

export type Acceptance = {
  readonly phone_id: string
  readonly token: string
  /** `name` of FCM, `apns-id` of APNs. */
  readonly id: string
  readonly collapse_id: string | null
  /** `android.notification.tag`. */
  readonly tag: string | null
  /** Two requests with this value and the same token are the same message; the id by default. */
  readonly identity: string
}

export type LedgerEntry = Omit<Acceptance, 'identity'> & {
  /** Number of times the message was accepted; above 1, the phone received it more than once. */
  count: number
}

export type Truth = {
  /** Number of accepted requests, including repeated ones. */
  readonly accepted: number
  /** Number of accepted requests whose message had been accepted before. */
  readonly repeated: number
  readonly messages: readonly Readonly<LedgerEntry>[]
}

export type Delivery = { readonly at: string; readonly id: string; readonly body: unknown }

export type Inbox = {
  count: number
  readonly last: RingBuffer<{ at_ms: number; id: string; text: string }>
}

export type InboxView = {
  /** Number of messages that the phone received. */
  readonly received: number
  /** The last twenty payloads, oldest first. */
  readonly last: readonly Delivery[]
}

export type Ledger = {
  accept: (acceptance: Acceptance) => void
  truth: () => Truth
  clear: () => void
}

const INBOX_SIZE = 20

export function createLedger(): Ledger {
  const entries = new Map<string, LedgerEntry>()
  let accepted = 0
  return {
    accept: ({ identity, ...message }) => {
      accepted += 1
      const key = `${message.token} ${identity}`
      const known = entries.get(key)
      if (known === undefined) entries.set(key, { ...message, count: 1 })
      else known.count += 1
    },
    truth: () => ({
      accepted,
      repeated: accepted - entries.size,
      messages: [...entries.values()],
    }),
    clear: () => {
      entries.clear()
      accepted = 0
    },
  }
}

export const createInbox = (): Inbox => ({ count: 0, last: createRingBuffer(INBOX_SIZE) })

/** @param text payload, which is parsed when the inbox is read */
export function putIntoInbox(inbox: Inbox, at: Date, id: string, text: string): void {
  inbox.count += 1
  inbox.last.add({ at_ms: at.getTime(), id, text })
}

export function emptyInbox(inbox: Inbox): void {
  inbox.count = 0
  inbox.last.clear()
}

export const viewInbox = ({ count, last }: Inbox): InboxView => ({
  received: count,
  last: last.list().map(({ at_ms, id, text }) => ({
    at: new Date(at_ms).toISOString(),
    id,
    body: JSON.parse(text) as unknown,
  })),
})
