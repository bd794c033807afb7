/**
 * What an emulated push provider has accepted: each message once with how often it came, and for each
 * phone a count and its last payloads.
 */
import { createRing, type Ring } from './ring.ts'

/** What is told of a message when it is accepted. */
export type Acceptance = {
  readonly phone_id: string
  readonly token: string
  /** `name` of FCM, `apns-id` of APNs. */
  readonly id: string
  readonly collapse_id: string | null
  /** `android.notification.tag`. */
  readonly tag: string | null
  /** What makes two requests the same message, besides the token; the id where nothing else does. */
  readonly identity: string
}

export type LedgerEntry = Omit<Acceptance, 'identity'> & {
  /** How often the provider accepted it; over 1, the phone has it twice. */
  count: number
}

export type Truth = {
  /** Requests that were accepted, repeated ones among them. */
  readonly accepted: number
  /** Of these, those that had been accepted before. */
  readonly repeated: number
  readonly messages: readonly Readonly<LedgerEntry>[]
}

export type Delivery = { readonly at: string; readonly id: string; readonly body: unknown }

export type Inbox = {
  /** All that came. */
  count: number
  readonly last: Ring<{ at_ms: number; id: string; text: string }>
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
    accept: ({ identity, ...told }) => {
      accepted += 1
      const key = `${told.token} ${identity}`
      const known = entries.get(key)
      if (known === undefined) entries.set(key, { ...told, count: 1 })
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

export const createInbox = (): Inbox => ({ count: 0, last: createRing(INBOX_SIZE) })

/** @param text of the payload; it is parsed when somebody looks */
export function putIntoInbox(inbox: Inbox, at: Date, id: string, text: string): void {
  inbox.count += 1
  inbox.last.add({ at_ms: at.getTime(), id, text })
}

export function emptyInbox(inbox: Inbox): void {
  inbox.count = 0
  inbox.last.clear()
}

/** The last payloads, oldest first. */
export const deliveriesIn = ({ last }: Inbox): Delivery[] =>
  last.list().map(({ at_ms, id, text }) => ({
    at: new Date(at_ms).toISOString(),
    id,
    body: JSON.parse(text) as unknown,
  }))
