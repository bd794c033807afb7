/** Sets up an application with credentials for both platforms, and subscriptions of many phones. */
import { sql } from 'kysely'
import { tokenHashOf } from '../../src/modules/push/subscriptions/token.ts'
import type { PushProvider } from '../../src/modules/push/tables.ts'
import type { Database } from '../../src/platform/postgres/db.ts'
import { withDatabase } from './books.ts'
import type { PushProviders } from './push-providers.ts'
import type { Member } from './reviewer.ts'

export type PushSetup = {
  application_id: string
  /** Ids of reachable subscriptions. */
  healthy: string[]
  /** Ids of subscriptions whose app was removed from the phone. */
  removed: string[]
}

/** Number of users, `user-0` and so on, among whom the subscriptions are divided. */
export const USERS = 40

const PACKAGE_NAME = 'com.example.app'
const PHONES: Readonly<Record<PushProvider, number>> = { fcm: 900, apns: 300 }
const REMOVED = 10
const TIMEOUT_MS = 15_000

export async function setUpPush(
  { url, data_dir }: { url: string; data_dir: string },
  member: Member,
  providers: PushProviders,
): Promise<PushSetup> {
  const call = caller(url, member)
  const body = { environment: 'live', name: 'Shop' }
  const { id } = await call<{ id: string }>('POST', 'applications', body)
  const names = { android_package_name: PACKAGE_NAME, ios_bundle_id: PACKAGE_NAME }
  await call('PUT', `applications/${id}/configuration`, names)
  const service_account = await providers.fcm('GET', 'service-account')
  await call('PUT', `applications/${id}/credentials/fcm`, { service_account })
  const { private_key, key_id, team_id } = await providers.apns<Record<string, string>>(
    'GET',
    'key',
  )
  await call('PUT', `applications/${id}/credentials/apns`, { key: private_key, key_id, team_id })
  const setup: PushSetup = { application_id: id, healthy: [], removed: [] }
  for (const provider of ['fcm', 'apns'] as const) {
    const phones = { count: PHONES[provider], [NAMES[provider]]: PACKAGE_NAME }
    const { tokens } = await providers[provider]<{ tokens: string[] }>(
      'POST',
      'phones/bulk',
      phones,
    )
    const ids = await withDatabase(
      data_dir,
      async (db) =>
        await subscribe(db, { org_id: member.org_id, application_id: id, provider, tokens }),
    )
    for (const token of tokens.slice(0, REMOVED)) {
      await providers[provider]('PATCH', `phones/${encodeURIComponent(token)}`, GONE[provider])
    }
    setup.removed.push(...ids.slice(0, REMOVED))
    setup.healthy.push(...ids.slice(REMOVED))
  }
  return setup
}

const NAMES = { fcm: 'package_name', apns: 'bundle_id' } as const
const GONE = { fcm: { is_registered: false }, apns: { gone: { reason: 'Unregistered' } } } as const

const caller =
  (url: string, { org_id, token }: Member) =>
  async <Content>(method: 'POST' | 'PUT', path: string, body: object): Promise<Content> => {
    const answer = await fetch(`${url.replace(/v1$/, 'console/api')}/push/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ org_id, ...body }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`)
    return (JSON.parse(text) as { content: Content }).content
  }

type Phones = { org_id: string; application_id: string; provider: PushProvider; tokens: string[] }

/** Inserts subscriptions registered some hours ago. @returns their ids, in the order of the tokens */
async function subscribe(
  db: Database,
  { org_id, application_id, provider, tokens }: Phones,
): Promise<string[]> {
  const { rows } = await sql<{ id: string; token: string }>`
    insert into push_subscriptions (application_id, id, org_id, provider, token, token_hash,
      token_registered_at, external_user_id, identified_at, permission, created_at, updated_at)
    select ${application_id}, uuidv7(), ${org_id}, ${provider}, token, hash::uuid, at,
      'user-' || n % ${USERS}::integer, at, 'granted', at, at
    from unnest(${tokens}::text[], ${tokens.map(tokenHashOf)}::text[])
      with ordinality as given (token, hash, n), (select now() - interval '3 hours' as at) then_
    returning id, token`.execute(db)
  const ids = new Map(rows.map(({ id, token }) => [token, id]))
  return tokens.map((token) => ids.get(token) ?? '')
}
