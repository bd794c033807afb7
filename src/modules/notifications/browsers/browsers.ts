/** The browsers in which a member wants to be notified, of the same as by e-mail. */
import { hash } from 'node:crypto'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { isUuid } from '../../../platform/ids.ts'
import { areBrowserKeys } from '../../../platform/web-push/encryption.ts'
import { newVapidKeys, type VapidKeys } from '../../../platform/web-push/vapid.ts'
import { hostOf, type TargetDependencies } from '../channel-target.ts'
import { type ChannelDependencies, shownChannel, testChannel } from '../channels.ts'
import type { BrowserKey, Channel, NewBrowser, TestResult } from '../schema.ts'
import { secretContext } from '../sending/send.ts'
import { deleteBrowser, insertBrowser, listBrowsers, type Owner } from './store.ts'

export type Person = Owner & { session_id?: string }

export type Browsers = {
  list(person: Owner): Promise<Channel[]>
  /** Generates the key that a browser binds its subscription to. Nothing is stored until `add`. */
  key(person: Owner): Promise<BrowserKey>
  /** @throws AppError 400 naming the member that is invalid */
  add(person: Person, browser: NewBrowser): Promise<Channel>
  remove(person: Owner, id: string): Promise<boolean>
  /** Sends a message now and returns the answer of the push service. */
  test(person: Owner, id: string): Promise<TestResult | undefined>
}

const BROWSERS_MAX = 10
const PER_HOUR_MAX = 60
const TOO_MANY = `endpoint: you have ${BROWSERS_MAX} browsers, the maximum; remove one first`

export function createBrowsers(deps: ChannelDependencies & TargetDependencies): Browsers {
  const { db, clock, newId, sealer } = deps
  const find = async (person: Owner, id: string) =>
    (await listBrowsers(db, person)).find((row) => row.id === id)
  return {
    list: async (person) => (await listBrowsers(db, person)).map(shownChannel),
    key: async (person) => {
      const keys = newVapidKeys()
      const sealed_key = await sealer.seal(JSON.stringify(keys), keyContext(person))
      return { public_key: keys.public_key, sealed_key }
    },
    add: async (person, { name, sealed_key, endpoint, p256dh, auth }) => {
      const { org_id, user_id, session_id } = person
      if (session_id === undefined) {
        throw invalidRequest('endpoint', 'endpoint must be added by the session of a browser')
      }
      const keys = await openKey(deps, person, sealed_key)
      const host = await hostOf(deps, 'endpoint', endpoint)
      const given = {
        p256dh: Buffer.from(p256dh, 'base64url'),
        auth: Buffer.from(auth, 'base64url'),
      }
      if (!areBrowserKeys(given))
        throw invalidRequest('p256dh', 'p256dh and auth must be keys of a browser')
      const now = clock.now()
      const id = newId(now)
      const browser = { ...keys, endpoint, p256dh, auth, session_id }
      const sealed = await sealer.seal(JSON.stringify({ browser }), secretContext(id))
      const config = { host, endpoint_hash: hash('sha256', endpoint) }
      const row = { org_id, id, user_id: null, browser_of: user_id, kind: 'browser' as const, name }
      const unknown = { verified_at: null, failing_since: null, last_error: null }
      const times = { created_at: now, updated_at: now }
      const all = { ...row, config, sealed, per_hour_max: PER_HOUR_MAX, ...unknown, ...times }
      return await db.transaction().execute(async (tx) => {
        const added = await insertBrowser(tx, all, BROWSERS_MAX)
        if (!added) throw invalidRequest('endpoint', TOO_MANY)
        return shownChannel(added)
      })
    },
    remove: async (person, id) =>
      isUuid(id) &&
      (await db.transaction().execute(async (tx) => await deleteBrowser(tx, person, id))),
    test: async (person, id) => {
      const row = await find(person, id)
      return row && (await testChannel(deps, row, async () => await find(person, id)))
    },
  }
}

const keyContext = ({ org_id, user_id }: Owner): string => `browser_key:${org_id}:${user_id}`

async function openKey(
  { sealer }: Pick<ChannelDependencies, 'sealer'>,
  person: Owner,
  sealed: string,
): Promise<VapidKeys> {
  try {
    return JSON.parse(String(await sealer.open(sealed, keyContext(person)))) as VapidKeys
  } catch {
    throw invalidRequest('sealed_key', 'sealed_key must be one that was returned to you')
  }
}
