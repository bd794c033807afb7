/**
 * Caches the content of messages between claims, because a broadcast takes thousands of claims. Nothing
 * in the cache changes once a message has recipients.
 */
import type { Database } from '../../../../platform/postgres/db.ts'
import type { ClaimedMessage } from '../job.ts'
import { listMessages } from './store.ts'

export type MessageCache = {
  /** @returns the messages that exist, by id */
  get(ids: readonly string[]): Promise<Map<string, ClaimedMessage>>
}

const MESSAGES_MAX = 200
/** Limit for the target users of all cached messages together. */
const USERS_MAX = 100_000

export function createMessageCache(db: Database): MessageCache {
  const cache = new Map<string, ClaimedMessage>()
  let users = 0

  const remove = (id: string): void => {
    users -= cache.get(id)?.users?.size ?? 0
    cache.delete(id)
  }
  const add = (message: ClaimedMessage): void => {
    remove(message.id)
    cache.set(message.id, message)
    users += message.users?.size ?? 0
    for (const id of cache.keys()) {
      if (cache.size <= MESSAGES_MAX && users <= USERS_MAX) break
      remove(id)
    }
  }

  return {
    get: async (ids) => {
      const missing = ids.filter((id) => !cache.has(id))
      const read = missing.length === 0 ? [] : await readMessages(db, missing)
      const cached = ids.flatMap((id) => cache.get(id) ?? [])
      for (const message of [...cached, ...read]) add(message)
      return new Map([...cached, ...read].map((message) => [message.id, message]))
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
