/**
 * Remembers what configuration files have set. The changes themselves go through the operations of each
 * area, with their checks and audit entries; this is the common ancestor of the next comparison.
 */
import type { Clock } from '../../platform/clock.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import type { NewId } from '../../platform/ids.ts'
import type { Database } from '../../platform/postgres/db.ts'
import { emailsOf } from '../accounts/index.ts'
import type { insertAudit } from '../audit/index.ts'
import { type AppliedItem, CONTENT_MAX_BYTES, type ManagedItem } from './schema.ts'
import { countItems, deleteItem, listItems, upsertItem } from './store.ts'

export type Configuration = {
  /** By kind and name. */
  list(orgId: string): Promise<ManagedItem[]>
  /** @throws AppError 400 when the content is missing or too large, or the organization has too many items */
  record(orgId: string, item: AppliedItem, userId: string): Promise<void>
}

export const ITEMS_MAX = 5000

export function createConfiguration(deps: {
  db: Database
  directory: Database
  clock: Clock
  newId: NewId
  audit: typeof insertAudit
}): Configuration {
  const { db, directory, clock, newId, audit } = deps
  return {
    list: async (orgId) => {
      const items = await listItems(db, orgId, ITEMS_MAX)
      const emails = await emailsOf(
        directory,
        items.map(({ applied_by }) => applied_by),
      )
      return items.map(({ applied_by, applied_at, content, ...item }) => ({
        ...item,
        content: JSON.parse(content) as Record<string, unknown>,
        applied_by_email: emails.get(applied_by) ?? null,
        applied_at: applied_at.toISOString(),
      }))
    },
    record: async (orgId, item, userId) => {
      const { kind, name, action, source = null, revision = null } = item
      const content = action === 'deleted' ? undefined : contentOf(item)
      const at = clock.now()
      await db.transaction().execute(async (tx) => {
        if (content === undefined) {
          await deleteItem(tx, orgId, kind, name)
        } else {
          const applied = { applied_by: userId, applied_at: at }
          await upsertItem(tx, orgId, { kind, name, content, source, revision, ...applied })
          if ((await countItems(tx, orgId)) > ITEMS_MAX) {
            throw invalidRequest('org_id', `org_id has ${ITEMS_MAX} items of files, the most`)
          }
        }
        await audit(tx, orgId, {
          id: newId(at),
          at,
          actor_user_id: userId,
          action: `configuration.${action}`,
          target: name,
          details: { kind, source, revision },
        })
      })
    },
  }
}

function contentOf({ content }: AppliedItem): string {
  if (content === undefined) throw invalidRequest('content', 'content is required')
  const text = JSON.stringify(content)
  if (Buffer.byteLength(text) <= CONTENT_MAX_BYTES) return text
  throw invalidRequest('content', `content must have at most ${CONTENT_MAX_BYTES} bytes`)
}
