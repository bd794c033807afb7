/**
 * Sets up an empty database on the first start: an organization, its owner, and one key of each type.
 */
import { createFirstOrganization } from '../modules/accounts/index.ts'
import { createKeys } from '../modules/keys/index.ts'
import { KEY_TYPES, type KeyType } from '../modules/keys/tables.ts'
import type { Stores } from './stores.ts'

export type FirstRun = {
  org_id: string
  email: string
  password: string
  keys: Record<KeyType, string>
}

const NAME = 'My organization'
const OWNER_EMAIL = 'owner@vigil.local'

/**
 * @param keep stores the generated secrets before they become valid; if it fails, nothing is created
 * @returns undefined when an organization exists
 */
export async function setUpFirstOrganization(
  { db, newId, clock }: Pick<Stores, 'db' | 'newId' | 'clock'>,
  keep: (first: FirstRun) => void = () => undefined,
): Promise<FirstRun | undefined> {
  return await createFirstOrganization(
    { db, newId, clock, name: NAME, email: OWNER_EMAIL },
    async (tx, account) => {
      const keys = createKeys({ db: tx, newId, clock })
      const texts: Partial<Record<KeyType, string>> = {}
      for (const type of KEY_TYPES) {
        texts[type] = (await keys.create(account.org_id, type))?.key ?? ''
      }
      const first = { ...account, keys: texts as Record<KeyType, string> }
      keep(first)
      return first
    },
  )
}

/** Can be pasted and works without a network, because the domain lists contain the domain. */
export const exampleCheck = (baseUrl: string, key: string): string =>
  `curl -s ${baseUrl}/check -H 'X-API-Key: ${key}' -H 'Content-Type: application/json' -d '{"email":"jane@mailinator.com","event_type":"signup"}'`
