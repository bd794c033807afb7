/**
 * What is sent of messages, kept from one claim to the next: a broadcast takes thousands of them. Nothing
 * that is kept here changes once recipients are made.
 */
import type { Database } from '../../../../platform/postgres/db.ts'
import type { ClaimedMessage } from '../job.ts'
import { listMessages } from './store.ts'

export type MessageShelf = {
  /** Those that exist. */
  get(ids: readonly string[]): Promise<Map<string, ClaimedMessage>>
}

const MESSAGES_MAX = 200
/** Users of all messages that are kept. */
const USERS_MAX = 100_000

export function createMessageShelf(db: Database): MessageShelf {
  const kept = new Map<string, ClaimedMessage>()
  let users = 0

  const forget = (id: string): void => {
    users -= kept.get(id)?.users?.size ?? 0
    kept.delete(id)
  }
  const keep = (message: ClaimedMessage): void => {
    forget(message.id)
    kept.set(message.id, message)
    users += message.users?.size ?? 0
    for (const id of kept.keys()) {
      if (kept.size <= MESSAGES_MAX && users <= USERS_MAX) break
      forget(id)
    }
  }

  return {
    get: async (ids) => {
      const unknown = ids.filter((id) => !kept.has(id))
      const read = unknown.length === 0 ? [] : await readMessages(db, unknown)
      const known = ids.flatMap((id) => kept.get(id) ?? [])
      for (const message of [...known, ...read]) keep(message)
      return new Map([...known, ...read].map((message) => [message.id, message]))
    },
  }
}

async function readMessages(db: Database, ids: readonly string[]): Promise<ClaimedMessage[]> {
  const messages = await listMessages(db, ids)
  return messages.map(({ user_ids, ...message }) => ({
    ...message,
    ...(user_ids && { users: new Set(user_ids) }),
  }))
}
