/**
 * What an empty database gets on the first start: an organisation, its owner, and one key of each
 * type.
 */
import { createFirstOrganization } from './modules/accounts/index.ts'
import { createKeys } from './modules/keys/index.ts'
import { KEY_TYPES, type KeyType } from './platform/postgres/tables/accounts.ts'
import type { Stores } from './stores.ts'

export type FirstRun = {
  org_id: string
  email: string
  password: string
  keys: Record<KeyType, string>
}

const NAME = 'My organisation'
const OWNER_EMAIL = 'owner@vigil.local'

/** @returns undefined when there is an organisation already */
export async function setUpFirstOrganization(stores: Stores): Promise<FirstRun | undefined> {
  const { db, newId, clock } = stores
  const first = await createFirstOrganization(
    { db, newId, clock, name: NAME, email: OWNER_EMAIL },
    async (tx, orgId) => {
      const keys = createKeys({ db: tx, newId, clock })
      const texts: Partial<Record<KeyType, string>> = {}
      for (const type of KEY_TYPES) texts[type] = (await keys.create(orgId, type))?.key ?? ''
      return texts as Record<KeyType, string>
    },
  )
  if (!first) return undefined
  const { completed: keys, ...account } = first
  return { ...account, keys }
}

/** Works when pasted, also without a network: the lists know the domain. */
export const exampleCheck = (baseUrl: string, key: string): string =>
  `curl -s ${baseUrl}/check -H 'X-API-Key: ${key}' -H 'Content-Type: application/json' -d '{"email":"jane@mailinator.com","event_type":"signup"}'`
